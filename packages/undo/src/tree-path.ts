// A path below a tree as text that loses no byte: names that are not UTF-8 keep each odd byte as a lone surrogate
// (U+DC80 to U+DCFF), so that a path can be a key, be sorted and be turned back into the very bytes.

/** Relative to the tree, parts separated by `/`; the tree itself is "". */
export type TreePath = string;

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

export function decodePath(bytes: Uint8Array): TreePath {
  return whole(bytes) ?? pieces(bytes);
}

export function encodePath(text: TreePath): Buffer {
  if (text.isWellFormed()) return Buffer.from(text, "utf8");
  const parts: Buffer[] = [];
  for (const character of text) {
    const unit = character.charCodeAt(0);
    const isByte = character.length === 1 && unit >= 0xdc80 && unit <= 0xdcff;
    parts.push(isByte ? Buffer.from([unit - 0xdc00]) : Buffer.from(character, "utf8"));
  }
  return Buffer.concat(parts);
}

/** What node:fs takes: text where that is exact, else the bytes. */
export function systemPath(text: TreePath): string | Buffer {
  return text.isWellFormed() ? text : encodePath(text);
}

export function joinTree(folder: TreePath, name: string): TreePath {
  return folder === "" ? name : `${folder}/${name}`;
}

export function parentOf(text: TreePath): TreePath {
  const slash = text.lastIndexOf("/");
  return slash === -1 ? "" : text.slice(0, slash);
}

export function nameOf(text: TreePath): string {
  // Not basename of node:path: Bun's loses lone surrogates.
  return text.slice(text.lastIndexOf("/") + 1);
}

export function isBelow(folder: TreePath, text: TreePath): boolean {
  return folder === "" || text === folder || text.startsWith(`${folder}/`);
}

function whole(bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined; // not UTF-8: byte by byte
  }
}

function pieces(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length;) {
    const first = bytes[at] ?? 0;
    const length = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    const piece = whole(bytes.subarray(at, at + length));
    text += piece ?? String.fromCharCode(0xdc00 + first);
    at += piece === undefined ? 1 : length;
  }
  return text;
}
