// Manifests that a careless `encode` would hold several times over, and what becomes of them.

export type HostileManifest = { readonly name: string; readonly ends: RegExp; make(): string };

/** What the file has to be called: one of them names itself. */
export const MANIFEST_NAME = "manifest.json";

const MB = 1_000_000;
const TURN = '{"type":"conversation","role":"user","content":"';
const ENTRY = '{"name":"a","kind":"file"}';
const HUNK = '{"old_start":1,"new_start":1,"lines":""}';

export const HOSTILE_MANIFESTS: readonly HostileManifest[] = [
  {
    name: "one manifest of 20 MB in two documents",
    ends: /written$/,
    make: () => manifest([0, 1].map(() => document("x".repeat(10 * MB)))),
  },
  {
    name: "20 MB of text that is not Latin and full of escapes",
    ends: /written$/,
    make: () => manifest([0, 1].map(() => document("\\n\\u6f22漢".repeat((10 * MB) / 11)))),
  },
  {
    name: "a title of 16 MB, escaped, of which one character is not Latin",
    ends: /written$/,
    make: () => manifest([`{"type":"document","title":"漢${"\\nx".repeat(5 * MB)}","content":""}`]),
  },
  {
    name: "a document of 60 MB, which is too large",
    ends: /^block body exceeds maximum size/,
    make: () => manifest([document("\\tx".repeat(20 * MB))]),
  },
  {
    name: "100,000 short turns",
    ends: /written$/,
    make: () => manifest(list(100_000, (i) => `${TURN}turn ${i}"}`)),
  },
  {
    name: "20 MB of short turns, each with a priority",
    ends: /written$/,
    make: () => manifest(list((20 * MB) / 72, (i) => `${TURN}${i}","priority":"low"}`)),
  },
  {
    name: "20 MB of the shortest blocks that differ",
    ends: /written$/,
    make: () => manifest(list((20 * MB) / 48, (i) => `{"type":"diff","path":"${i.toString(36)}","priority":"low"}`)),
  },
  {
    name: "60 MB of turns of 600 bytes",
    ends: /written$/,
    make: () => manifest(list(100_000, (i) => `${TURN}${i}${"words ".repeat(92)}"}`)),
  },
  {
    name: "a tree of 300,000 files",
    ends: /written$/,
    make: () => manifest([tree(list(300_000, (i) => `{"name":"file-${i}.ts","kind":"file","size":${i}}`))]),
  },
  {
    name: "20 MB of the shortest entries in one tree",
    ends: /written$/,
    make: () => manifest([tree(list((20 * MB) / 27, () => ENTRY))]),
  },
  {
    name: "20 MB of the shortest entries in a hundred trees",
    ends: /written$/,
    make: () => manifest(list(100, () => tree(list((20 * MB) / 2_700, () => ENTRY)))),
  },
  {
    name: "20 MB of the shortest entries a thousand levels deep",
    ends: /written$/,
    make: () => manifest([tree([deep(1_000, list((20 * MB) / 27, () => ENTRY).join(","))])]),
  },
  {
    name: "20 MB of the shortest hunks in one diff",
    ends: /written$/,
    make: () => manifest([`{"type":"diff","path":"p","hunks":[${list((20 * MB) / 41, () => HUNK)}]}`]),
  },
  {
    name: "an image of 20 MB",
    ends: /written$/,
    make: () => manifest([`{"type":"image","media_type":"png","alt_text":"","data":"${"AAEC".repeat(5 * MB)}"}`]),
  },
  {
    name: "a hash of 20 MB",
    ends: /written$/,
    make: () =>
      manifest([`{"type":"embedding_ref","vector_id":"","source_hash":"${"0f".repeat(10 * MB)}","model":""}`]),
  },
  {
    name: "a manifest of 4 MB that names itself sixty times",
    ends: /written$/,
    make: () => {
      const itself = list(60, (i) => `{"type":"document","title":"${i}","content_file":"${MANIFEST_NAME}"}`);
      return `{"description":"${"x".repeat(4 * MB)}","blocks":[${itself.join(",")}]}`;
    },
  },
  {
    name: "a block of 20 MB of keys that nobody knows",
    ends: /^more than 100000 keys in one object/,
    make: () => manifest([`{${list((20 * MB) / 9, (i) => `"K${i.toString(36)}":1`)}}`]),
  },
  {
    name: "20 blocks of 90,000 keys that nobody knows",
    ends: /^missing field `type`/,
    make: () => manifest(list(20, () => `{${list(90_000, (i) => `"K${i.toString(36)}":1`)}}`)),
  },
  {
    name: "a block of 90,000 escaped keys that all come twice",
    ends: /^duplicate field `k0`/,
    make: () => manifest([`{${list(90_000, (i) => `"\\u006b${(i % 45_000).toString(36)}":1`)}}`]),
  },
  {
    name: "a role of 20 MB",
    ends: /written$|^unknown role "\\u\{1b\}/,
    make: () => manifest([`{"type":"conversation","role":"${"\\u001b".repeat((20 * MB) / 6)}","content":""}`]),
  },
  {
    name: "a path of 20 MB to a content",
    ends: /File name too long|ENAMETOOLONG/,
    make: () => manifest([`{"type":"document","title":"","content_file":"${"漢/".repeat(5 * MB)}"}`]),
  },
  {
    name: "a number of 20 MB",
    ends: /^integer `1+…`, expected u32/,
    make: () => manifest([`{"type":"annotation","target_block_id":${"1".repeat(20 * MB)},"kind":"tag","value":""}`]),
  },
  { name: "20 MB of brackets", ends: /^EOF while parsing a value/, make: () => "[".repeat(20 * MB) },
  { name: "20 MB of ones", ends: /^integer `1`, expected a map/, make: () => manifest(list(10 * MB, () => "1")) },
  { name: "20 MB of empty lines", ends: /^EOF while parsing a value/, make: () => "\n".repeat(20 * MB) },
];

function manifest(blocks: readonly string[]): string {
  return `{"blocks":[${blocks.join(",")}]}`;
}

function document(content: string): string {
  return `{"type":"document","title":"t","content":"${content}"}`;
}

function tree(entries: readonly string[]): string {
  return `{"type":"file_tree","root":"/","entries":[${entries.join(",")}]}`;
}

function deep(levels: number, entries: string): string {
  return `${'{"name":"d","kind":"dir","children":['.repeat(levels)}${entries}${"]}".repeat(levels)}`;
}

function list(count: number, make: (index: number) => string): string[] {
  return Array.from({ length: Math.floor(count) }, (_, index) => make(index));
}
