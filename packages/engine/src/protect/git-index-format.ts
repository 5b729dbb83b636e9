// The bytes of a git index file (versions 2, 3 and 4), read as strictly as git writes them. An agent can write these bytes, and
// git accepts more than it writes: what could mean one thing here and another to git is refused with a RangeError.
import { readEwah } from "./ewah-bitmap.ts";

export type ObjectIdBytes = 20 | 32;

export type IndexEntry = {
  readonly position: number;
  readonly mode: number;
  /** Valid only during the visit. Empty for an entry that replaces one of the shared index. */
  readonly name: Buffer;
};

export type SharedIndexLink = {
  /** Hexadecimal: the shared index is the file `sharedindex.<id>`. */
  readonly id: string;
  /** Positions in the shared index, for a shared index of that many entries. */
  changes(entryCount: number): { readonly deleted: readonly number[]; readonly replaced: readonly number[] };
};

export type IndexFile = { readonly entryCount: number; readonly link: SharedIndexLink | undefined };

const HEADER_BYTES = 12;
const STAT_BYTES = 40;
const MODE_AT = 24;
const EXTENDED = 0x4000;
const NAME_LENGTH = 0x0fff;
/** Of what git can open, 4,095; beyond this somebody wants us to hold much. */
const MAX_NAME_BYTES = 65_536;
const EXTENSION_HEADER_BYTES = 8;

export function readIndex(bytes: Buffer, idBytes: ObjectIdBytes, visit: (entry: IndexEntry) => void): IndexFile {
  if (bytes.toString("latin1", 0, 4) !== "DIRC") throw new RangeError("not an index");
  const version = bytes.readUInt32BE(4);
  if (version < 2 || version > 4) throw new RangeError("an unknown version");
  const entryCount = bytes.readUInt32BE(8);
  // The checksum at the end is not compared: git does not, either.
  const body = bytes.subarray(0, Math.max(0, bytes.length - idBytes));
  if (entryCount > body.length / (STAT_BYTES + idBytes)) throw new RangeError("more entries than fit");
  const entries = readEntries(body, { version, idBytes, entryCount }, visit);
  return { entryCount, link: readExtensions(body, idBytes, entries) };
}

type Layout = { readonly version: number; readonly idBytes: ObjectIdBytes; readonly entryCount: number };

type Entries = {
  /** Where each entry starts, and last where the extensions do. */
  readonly starts: Uint32Array;
  /** 1 where the name is whole in itself, so that reading can begin there. */
  readonly isWhole: Uint8Array;
};

function readEntries(body: Buffer, layout: Layout, visit: (entry: IndexEntry) => void): Entries {
  const { version, idBytes, entryCount } = layout;
  const starts = new Uint32Array(entryCount + 1);
  const isWhole = new Uint8Array(entryCount + 1);
  const name = Buffer.alloc(MAX_NAME_BYTES);
  let nameLength = 0;
  let at = HEADER_BYTES;
  for (let position = 0; position < entryCount; position += 1) {
    starts[position] = at;
    const mode = body.readUInt32BE(at + MODE_AT);
    const flags = body.readUInt16BE(at + STAT_BYTES + idBytes);
    // By the flag alone, as git does, also in version 2 that should not have it.
    let from = at + STAT_BYTES + idBytes + ((flags & EXTENDED) === 0 ? 2 : 4);
    let kept = 0;
    if (version === 4) {
      const { value, end } = readVarint(body, from);
      if (value > nameLength) throw new RangeError("a name is shortened by more than it has");
      kept = nameLength - value;
      from = end;
    }
    const to = body.indexOf(0, from);
    if (to < 0) throw new RangeError("a name has no end");
    nameLength = kept + to - from;
    if (nameLength > MAX_NAME_BYTES) throw new RangeError("a name is too long");
    // git goes by this length where it is one, so a zero byte before it would end the name only here.
    if ((flags & NAME_LENGTH) !== Math.min(nameLength, NAME_LENGTH)) throw new RangeError("a name of another length");
    body.copy(name, kept, from, to);
    isWhole[position] = kept === 0 ? 1 : 0;
    visit({ position, mode, name: name.subarray(0, nameLength) });
    // Versions 2 and 3 fill up with one to eight zero bytes.
    at = version === 4 ? to + 1 : at + ((to - at + 8) & ~7);
    if (at > body.length) throw new RangeError("the entries are cut off");
  }
  starts[entryCount] = at;
  return { starts, isWhole };
}

/** The number format of git's packs with an offset: each further byte also adds one. */
function readVarint(body: Buffer, start: number): { value: number; end: number } {
  let at = start;
  let byte = body.readUInt8(at++);
  let value = byte & 127;
  while ((byte & 128) !== 0) {
    byte = body.readUInt8(at++);
    value = (value + 1) * 128 + (byte & 127);
    if (value > MAX_NAME_BYTES) throw new RangeError("a name is shortened by more than it has");
  }
  return { value, end: at };
}

function readExtensions(body: Buffer, idBytes: ObjectIdBytes, entries: Entries): SharedIndexLink | undefined {
  const start = entries.starts.at(-1) ?? HEADER_BYTES;
  let link: SharedIndexLink | undefined;
  let endAt: number | undefined;
  let at = start;
  while (at < body.length) {
    const signature = body.toString("latin1", at, at + 4);
    const data = at + EXTENSION_HEADER_BYTES;
    const end = data + body.readUInt32BE(at + 4);
    if (end > body.length) throw new RangeError("an extension is cut off");
    const content = body.subarray(data, end);
    if (signature === "link") {
      if (link !== undefined) throw new RangeError("two shared indexes");
      link = readLink(content, idBytes);
    } else if (signature === "IEOT") {
      checkOffsets(content, entries);
    } else if (signature === "EOIE") {
      if (content.readUInt32BE(0) !== start) throw new RangeError("another end of the entries");
      endAt = at;
    } else if (signature !== "sdir" && !/^[A-Z]/.test(signature)) {
      throw new RangeError("an extension that must be understood");
    }
    at = end;
  }
  // git looks for this one from the end of the file, and would also find it inside of another.
  const whereGitLooks = body.length - EXTENSION_HEADER_BYTES - 4 - idBytes;
  const isThere = whereGitLooks >= 0 && body.toString("latin1", whereGitLooks, whereGitLooks + 4) === "EOIE";
  if (isThere && endAt !== whereGitLooks) throw new RangeError("another end of the entries");
  return link;
}

/** Where git's threads begin to read a large index: at entries that we have read there too, and with the same names. */
function checkOffsets(content: Buffer, { starts, isWhole }: Entries): void {
  let position = 0;
  for (let at = 4; at < content.length; at += 8) {
    if (content.readUInt32BE(at) !== starts[position] || isWhole[position] !== 1) {
      throw new RangeError("another start of an entry");
    }
    position += content.readUInt32BE(at + 4);
  }
  if (position !== starts.length - 1) throw new RangeError("another number of entries");
}

function readLink(content: Buffer, idBytes: ObjectIdBytes): SharedIndexLink | undefined {
  if (content.length < idBytes) throw new RangeError("no name of a shared index");
  const id = content.toString("hex", 0, idBytes);
  if (/^0+$/.test(id)) return undefined;
  return {
    id,
    changes(entryCount) {
      if (content.length === idBytes) return { deleted: [], replaced: [] };
      const deleted = readEwah(content, idBytes, entryCount);
      const replaced = readEwah(content, deleted.end, entryCount);
      if (replaced.end !== content.length) throw new RangeError("more than two bitmaps");
      return { deleted: deleted.positions, replaced: replaced.positions };
    },
  };
}
