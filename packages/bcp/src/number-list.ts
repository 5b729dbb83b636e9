// A growing list of numbers of 32 bits, in pieces, because a buffer that grows is there twice while it does.

const PIECE_BITS = 16;
const PIECE_WORDS = 1 << PIECE_BITS;
const PIECE_MASK = PIECE_WORDS - 1;
const FIRST_WORDS = 64;

export class Offsets {
  private readonly pieces: Uint32Array[] = [];
  length = 0;

  push(value: number): void {
    const at = this.length & PIECE_MASK;
    const piece = this.length >>> PIECE_BITS;
    const current = this.pieces[piece];
    if (!current) this.pieces.push(new Uint32Array(piece === 0 ? FIRST_WORDS : PIECE_WORDS));
    else if (at === current.length) this.pieces[piece] = doubled(current);
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

function doubled(piece: Uint32Array): Uint32Array {
  const larger = new Uint32Array(piece.length * 2);
  larger.set(piece);
  return larger;
}
