// Paths as text without losing a byte. Names on Linux are bytes and need not be UTF-8: a byte that is not is kept as a
// lone surrogate (U+DC80 to U+DCFF), so that patterns can be matched on the text and the bytes can be had back.
import { realpathSync } from "node:fs";

const NOT_UTF8 = 0xdc00;

export function textOfPath(bytes: Buffer): string {
  const text = bytes.toString("utf8");
  // The usual case; the replacement character may also stand in a name that is UTF-8.
  if (!text.includes("\uFFFD") || Buffer.from(text).equals(bytes)) return text;
  let escaped = "";
  for (let at = 0; at < bytes.length;) {
    const length = sequenceAt(bytes, at);
    escaped +=
      length === 0
        ? String.fromCharCode(NOT_UTF8 + (bytes[at] ?? 0))
        : bytes.subarray(at, at + length).toString("utf8");
    at += Math.max(length, 1);
  }
  return escaped;
}

export function bytesOfPath(text: string): Buffer {
  if (text.isWellFormed()) return Buffer.from(text);
  const parts: Buffer[] = [];
  for (const character of text) {
    const unit = character.charCodeAt(0);
    const isByte = character.length === 1 && unit >= NOT_UTF8 + 0x80 && unit <= NOT_UTF8 + 0xff;
    parts.push(isByte ? Buffer.from([unit - NOT_UTF8]) : Buffer.from(character));
  }
  return Buffer.concat(parts);
}

/** What node:fs takes for that path. */
export function fsPath(text: string): string | Buffer {
  return text.isWellFormed() ? text : bytesOfPath(text);
}

/** As path.join. Bun's own puts the replacement character in place of a lone surrogate, and so would name something else. */
export function entryIn(folder: string, name: string): string {
  return folder === "/" ? `/${name}` : `${folder}/${name}`;
}

/** As path.dirname, for the same reason. */
export function folderOf(file: string): string {
  const slash = file.lastIndexOf("/");
  return slash <= 0 ? "/" : file.slice(0, slash);
}

/** As path.resolve with a base, for the same reason. */
export function resolvedIn(base: string, file: string): string {
  const parts: string[] = [];
  for (const part of (file.startsWith("/") ? file : entryIn(base, file)).split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  return `/${parts.join("/")}`;
}

/** Where a name leads; undefined when that is nowhere, or not ours to know. */
export function realPathOf(file: string): string | undefined {
  try {
    return textOfPath(realpathSync(fsPath(file), { encoding: "buffer" }));
  } catch {
    return undefined; // nowhere, or not ours to know
  }
}

/** Bytes of the UTF-8 character there; 0 when there is none. */
function sequenceAt(bytes: Buffer, at: number): number {
  for (let length = 1; length <= 4 && at + length <= bytes.length; length += 1) {
    const piece = bytes.subarray(at, at + length);
    if (Buffer.from(piece.toString("utf8")).equals(piece)) return length;
  }
  return 0;
}
