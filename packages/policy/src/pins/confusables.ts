// Names that look like other names: mixed scripts, look-alike letters, and two servers that offer the same.
import { displayName, type ToolName } from "../rules/tool-pattern.ts";

export type Resemblance = {
  readonly left: ToolName;
  readonly right: ToolName;
  /** "same": equal names; "alike": they look alike; "near": they differ in separators, case or plural only. */
  readonly kind: "same" | "alike" | "near";
};

// Letters that most fonts draw like an ASCII one, by the ASCII letter. Small on purpose: what tools are called.
const LOOK_ALIKES: Readonly<Record<string, string>> = {
  a: "аɑαａàáâãäåāăą",
  b: "ьƅｂЬ",
  c: "сϲｃçćč",
  d: "ԁɗｄď",
  e: "еҽｅèéêëēėęě",
  f: "ſｆƒ",
  g: "ɡցｇğġ",
  h: "һｈհ",
  i: "іıɩｉìíîïīι",
  j: "јｊϳ",
  k: "кκｋ",
  l: "ӏⅼｌ1|Iǀ",
  m: "мｍⅿ",
  n: "ոｎñńň",
  o: "оοօｏ0òóôõöøōσ",
  p: "рρｐ",
  q: "ԛｑ",
  r: "гｒř",
  s: "ѕｓ5śšş",
  t: "тτｔ",
  u: "υսｕùúûüū",
  v: "ѵνｖⅴ",
  w: "ԝωｗ",
  x: "хχｘⅹ",
  y: "уγｙýÿ",
  z: "ᴢｚžźż",
  "-": "‐‑‒–—−﹣－",
  _: "＿ˍ",
  ".": "．․·",
};

let toAscii: ReadonlyMap<string, string> | undefined;

function asciiOf(character: string): string {
  toAscii ??= new Map(
    Object.entries(LOOK_ALIKES).flatMap(([plain, others]) =>
      [...others].map((other): [string, string] => [other, plain]),
    ),
  );
  return toAscii.get(character) ?? character;
}

/** What a name looks like: two names with the same skeleton are easily taken for each other. */
export function skeleton(name: string): string {
  const plain = [...name.normalize("NFKC")].map(asciiOf).join("");
  return [...plain.toLowerCase()]
    .map(asciiOf)
    .join("")
    .replace(/[\p{M}\p{Cf}]/gu, "")
    .replaceAll("rn", "m")
    .replaceAll("vv", "w")
    .replaceAll("cl", "d");
}

/** Pairs on different servers, or on one, that a person or a model could mix up. */
export function findResemblances(names: readonly ToolName[]): Resemblance[] {
  const found: Resemblance[] = [];
  const byLook = new Map<string, ToolName[]>();
  for (const name of names) {
    const look = skeleton(name.tool)
      .replace(/[-_.\s]/g, "")
      .replace(/s$/, "");
    const others = byLook.get(look) ?? [];
    for (const other of others) {
      const kind = kindOf(other, name);
      if (kind !== undefined) found.push({ left: other, right: name, kind });
    }
    byLook.set(look, [...others, name]);
  }
  return found;
}

/** Letters of more than one script in one name: `раypal`. Digits and signs belong to all. */
export function mixesScripts(name: string): boolean {
  const scripts = [
    "Latin",
    "Cyrillic",
    "Greek",
    "Armenian",
    "Hebrew",
    "Arabic",
    "Cherokee",
    "Han",
    "Hiragana",
    "Katakana",
    "Hangul",
    "Thai",
    "Devanagari",
  ];
  const used = scripts.filter((script) => new RegExp(`\\p{Script=${script}}`, "u").test(name));
  const isJapanese = used.every((script) => ["Han", "Hiragana", "Katakana"].includes(script));
  return used.length > 1 && !isJapanese;
}

export function describeResemblance({ left, right, kind }: Resemblance): string {
  const how = { same: "has the same name as", alike: "looks like", near: "is nearly called" }[kind];
  return `${displayName(right)} ${how} ${displayName(left)}`;
}

function kindOf(left: ToolName, right: ToolName): Resemblance["kind"] | undefined {
  if (left.tool === right.tool) return left.alias === right.alias ? undefined : "same";
  return skeleton(left.tool) === skeleton(right.tool) ? "alike" : "near";
}
