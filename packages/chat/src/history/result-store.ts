// Whole results that were too long for the model: kept beside the session, read back by name, never by path.
import { copyFileSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";

const MEMORY_CHARS = 64 * 1024 * 1024;
const MAX_READ_CHARS = 20_000;
const NAME = /^r\d{1,6}(?:\.[a-z0-9]{1,8})?$/;

export class ResultStore {
  readonly #folder: string | undefined;
  readonly #inMemory = new Map<string, string>();
  #memoryChars = 0;
  #next = 1;
  #hasText = false;

  /** Without a folder results live in memory, bounded. */
  constructor(folder: string | undefined) {
    this.#folder = folder;
    this.#count(folder === undefined ? [] : namesIn(folder));
  }

  /** Is there anything to read back? Then the model is offered the tool for it. */
  get hasText(): boolean {
    return this.#hasText;
  }

  keepText(text: string): string {
    const name = `r${this.#next++}`;
    this.#hasText = true;
    if (this.#folder !== undefined) this.#write(`${name}.txt`, text);
    else {
      this.#inMemory.set(name, text);
      this.#memoryChars += text.length;
      for (const [oldest, value] of this.#inMemory) {
        if (this.#memoryChars <= MEMORY_CHARS) break;
        this.#inMemory.delete(oldest);
        this.#memoryChars -= value.length;
      }
    }
    return name;
  }

  keepBytes(bytes: Uint8Array, mimeType: string): string | undefined {
    if (this.#folder === undefined) return undefined;
    const name = `r${this.#next++}.${EXTENSIONS[mimeType] ?? "bin"}`;
    this.#write(name, bytes);
    return name;
  }

  /** A copy of a session can read what the original could. */
  copyFrom(folder: string): void {
    const own = this.#folder;
    if (own === undefined) return;
    const names = namesIn(folder);
    if (names.length > 0) mkdirSync(own, { recursive: true, mode: 0o700 });
    for (const name of names) copyFileSync(path.join(folder, name), path.join(own, name));
    this.#count(names);
  }

  text(name: string): string | undefined {
    if (!NAME.test(name)) return undefined;
    const kept = this.#inMemory.get(name);
    if (kept !== undefined || this.#folder === undefined) return kept;
    try {
      return readFileSync(path.join(this.#folder, `${name}.txt`), "utf8");
    } catch {
      return undefined; // the model asked for a name that was never given
    }
  }

  /** The built-in tool: part of a stored result. */
  read(args: { result: string; maxChars: number; offset?: number; limit?: number; find?: string }): string {
    const text = this.text(args.result);
    if (text === undefined) return `There is no stored result called ${args.result}.`;
    const limit = Math.min(Math.max(1, args.limit ?? 8000), MAX_READ_CHARS, args.maxChars);
    if (args.find !== undefined && args.find !== "") return found(text, args.find, limit);
    const from = Math.min(Math.max(0, args.offset ?? 0), text.length);
    const piece = text.slice(from, from + limit).toWellFormed();
    const end = from + piece.length;
    const more = end < text.length ? `; go on with offset ${end}` : "; this is the end";
    return `${piece}\n[characters ${from} to ${end} of ${text.length}${more}]`;
  }

  #count(names: readonly string[]): void {
    const numbers = names.map((name) => Number(/^r(\d+)/.exec(name)?.[1] ?? 0));
    this.#next = Math.max(this.#next, 1 + numbers.reduce((most, number) => Math.max(most, number), 0));
    this.#hasText ||= names.some((name) => name.endsWith(".txt"));
  }

  #write(name: string, data: string | Uint8Array): void {
    const folder = this.#folder ?? "";
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(path.join(folder, name), data, { mode: 0o600, flag: "wx" });
  }
}

const EXTENSIONS: Readonly<Record<string, string>> = {
  "image/png": "png",
  "image/jpeg": "jpg",
  "image/gif": "gif",
  "image/webp": "webp",
  "image/svg+xml": "svg",
  "audio/wav": "wav",
  "audio/mpeg": "mp3",
  "application/pdf": "pdf",
};

function found(text: string, wanted: string, limit: number): string {
  const places: number[] = [];
  for (let at = text.indexOf(wanted); at >= 0 && places.length < 1000; at = text.indexOf(wanted, at + wanted.length)) {
    places.push(at);
  }
  if (places.length === 0) return `Not found in ${text.length} characters.`;
  const around = Math.max(60, Math.floor(limit / Math.min(places.length, 20) / 2));
  let used = 0;
  const parts: string[] = [];
  for (const at of places) {
    const piece = text.slice(Math.max(0, at - around), at + wanted.length + around).toWellFormed();
    if (used + piece.length > limit && parts.length > 0) break;
    used += piece.length;
    parts.push(`[at ${at}] ${piece}`);
  }
  return `${parts.join("\n")}\n[${parts.length} of ${places.length} places shown]`;
}

function namesIn(folder: string): string[] {
  try {
    return statSync(folder).isDirectory()
      ? readdirSync(folder).filter((name) => NAME.test(name.replace(/\.txt$/, "")))
      : [];
  } catch {
    return []; // no result was kept yet: the folder is made with the first
  }
}
