// A growing list of whole numbers of one width, in pieces, because a buffer that grows is there twice while it does.

const PIECE_BITS = 16;
const PIECE_WORDS = 1 << PIECE_BITS;
const PIECE_MASK = PIECE_WORDS - 1;
const FIRST_WORDS = 64;

type Words = Uint32Array | Uint8Array;
type Width = typeof Uint32Array | typeof Uint8Array;

export class NumberList {
  private readonly pieces: Words[] = [];
  private readonly width: Width;
  length = 0;

  constructor(width: Width = Uint32Array) {
    this.width = width;
  }

  push(value: number): void {
    const at = this.length & PIECE_MASK;
    const index = this.length >>> PIECE_BITS;
    const piece = this.pieces[index];
    if (!piece) this.pieces.push(new this.width(index === 0 ? FIRST_WORDS : PIECE_WORDS));
    else if (at === piece.length) {
      const larger = new this.width(piece.length * 2);
      larger.set(piece);
      this.pieces[index] = larger;
    }
    this.set(this.length++, value);
  }

  get(index: number): number {
    return this.pieces[index >>> PIECE_BITS]?.[index & PIECE_MASK] ?? 0;
  }

  set(index: number, value: number): void {
    const piece = this.pieces[index >>> PIECE_BITS];
    if (piece) piece[index & PIECE_MASK] = value;
  }
}
