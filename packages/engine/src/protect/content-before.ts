// Contents of protected files by their SHA-256: small ones in memory, the rest, and whatever must survive a crash, as
// private copies in the state folder.
import fs from "node:fs";
import path from "node:path";

const MIB = 1024 * 1024;
const MAX_IN_MEMORY = MIB;
const MAX_MEMORY = 8 * MIB;
/** A protected file beyond this is compared by its stamps and cannot be put back. */
const MAX_FILE = 64 * MIB;
const MAX_COPIES = 100 * MIB;
const PIECE_BYTES = MIB;
const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = fs.constants;

export type KeptContent = {
  readonly sha256: string;
  readonly bytes: number;
  /** The digest of the part that counts, where not all of it does: compared by this, put back as a whole. */
  readonly counted?: string;
};

export class KeptContents {
  /** Undefined: no folder of ours can be written, so that only small contents are kept. */
  readonly #folder: string | undefined;
  readonly #memory = new Map<string, Buffer>();
  readonly #copies = new Map<string, number>();
  #memoryBytes = 0;
  #copiedBytes = 0;

  constructor(folder: string | undefined) {
    this.#folder = folder;
  }

  /** Of copies that are there already: they are what a journal names. */
  static inFolder(folder: string): KeptContents {
    const contents = new KeptContents(folder);
    let names: string[] = [];
    try {
      names = fs.readdirSync(folder);
    } catch {
      // without its copies a journal still says what was not there; what has to be read is said not to be kept
    }
    for (const name of names) if (/^[0-9a-f]{64}$/.test(name)) contents.#copies.set(name, 0);
    return contents;
  }

  /** The digest of an open file's content, and the content itself if it is to be kept. Undefined: it is too large. */
  take(fd: number, size: number, keep: boolean, counts?: (content: Buffer) => Uint8Array): KeptContent | undefined {
    if (size > MAX_FILE) return undefined;
    if (size <= MAX_IN_MEMORY) {
      const whole = readAll(fd, size);
      if (whole.length > MAX_FILE) return undefined;
      const kept = keep ? this.keep(whole) : { sha256: digestOf(whole), bytes: whole.length };
      return kept === undefined || counts === undefined ? kept : { ...kept, counted: digestOf(counts(whole)) };
    }
    return this.#takeLong(fd, keep);
  }

  /** Undefined when there is no room. */
  keep(content: Buffer): KeptContent | undefined {
    const kept = { sha256: digestOf(content), bytes: content.length };
    if (this.has(kept.sha256)) return kept;
    if (content.length <= MAX_IN_MEMORY && this.#memoryBytes + content.length <= MAX_MEMORY) {
      this.#memory.set(kept.sha256, content);
      this.#memoryBytes += content.length;
      return kept;
    }
    return this.#copy(kept.sha256, content) ? kept : undefined;
  }

  /** From the copies of another server. */
  takeOver(sha256: string, copies: string): void {
    if (this.has(sha256)) return;
    const content = contentIn(copies, sha256);
    if (content !== undefined) this.keep(content);
  }

  has(sha256: string): boolean {
    return this.#memory.has(sha256) || this.#copies.has(sha256);
  }

  /** Undefined when it is not, or no longer, what it was. */
  read(sha256: string): Buffer | undefined {
    const inMemory = this.#memory.get(sha256);
    if (inMemory !== undefined) return inMemory;
    if (this.#folder === undefined || !this.#copies.has(sha256)) return undefined;
    return contentIn(this.#folder, sha256);
  }

  /** Makes those survive us. */
  persist(wanted: Iterable<string>): void {
    for (const sha256 of wanted) {
      const content = this.#copies.has(sha256) ? undefined : this.#memory.get(sha256);
      if (content !== undefined) this.#copy(sha256, content);
    }
  }

  /** Forgets everything else. */
  retain(wanted: ReadonlySet<string>): void {
    for (const [sha256, content] of this.#memory) {
      if (wanted.has(sha256)) continue;
      this.#memory.delete(sha256);
      this.#memoryBytes -= content.length;
    }
    for (const [sha256, bytes] of this.#copies) {
      if (wanted.has(sha256)) continue;
      this.#copies.delete(sha256);
      this.#copiedBytes -= bytes;
      if (this.#folder !== undefined) fs.rmSync(path.join(this.#folder, sha256), { force: true });
    }
  }

  #takeLong(fd: number, keep: boolean): KeptContent | undefined {
    const hash = new Bun.CryptoHasher("sha256");
    const piece = Buffer.alloc(PIECE_BYTES);
    let bytes = 0;
    for (;;) {
      const got = fs.readSync(fd, piece, 0, piece.length, bytes);
      if (got === 0) break;
      hash.update(piece.subarray(0, got));
      bytes += got;
      if (bytes > MAX_FILE) return undefined;
    }
    const kept = { sha256: hash.digest("hex"), bytes };
    if (!keep || this.has(kept.sha256)) return kept;
    const content = readAll(fd, bytes);
    // It may have been written to meanwhile: then what is kept is what was read last.
    return this.keep(content);
  }

  #copy(sha256: string, content: Buffer): boolean {
    if (this.#folder === undefined || this.#copiedBytes + content.length > MAX_COPIES) return false;
    try {
      const file = path.join(this.#folder, sha256);
      const fd = fs.openSync(file, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
      try {
        for (let at = 0; at < content.length;) at += fs.writeSync(fd, content, at, content.length - at, at);
      } finally {
        fs.closeSync(fd);
      }
      this.#copies.set(sha256, content.length);
      this.#copiedBytes += content.length;
      return true;
    } catch {
      return false; // a full disk: what cannot be kept cannot be put back, and that is said then
    }
  }
}

/** Undefined when it is not there, or is something else by now. */
function contentIn(folder: string, sha256: string): Buffer | undefined {
  try {
    const fd = fs.openSync(path.join(folder, sha256), O_RDONLY | O_NOFOLLOW);
    try {
      const content = readAll(fd, fs.fstatSync(fd).size);
      return digestOf(content) === sha256 ? content : undefined;
    } finally {
      fs.closeSync(fd);
    }
  } catch {
    return undefined; // a copy that is gone is a content that was not kept, and that is said where it would be needed
  }
}

function readAll(fd: number, expected: number): Buffer {
  // One byte more than the file says, so that its end is seen without another call.
  let content = Buffer.alloc(expected + 1);
  let at = 0;
  for (;;) {
    const got = fs.readSync(fd, content, at, content.length - at, at);
    at += got;
    if (got === 0 || at > MAX_FILE) return content.subarray(0, at);
    if (at === content.length) content = Buffer.concat([content, Buffer.alloc(content.length)]);
  }
}

export function digestOf(content: Uint8Array): string {
  return new Bun.CryptoHasher("sha256").update(content).digest("hex");
}
