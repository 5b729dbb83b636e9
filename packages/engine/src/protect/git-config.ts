// Git's configuration text → its settings, in order. Only read, never run: what it says decides which files git obeys.

/** Far more than any configuration a person wrote; what lies beyond is not looked at. */
export const CONFIG_BYTES = 1024 * 1024;
const MOST_SETTINGS = 20_000;

/** `key` is `section.name` or `section.subsection.name`; section and name in lower case, the subsection as written. */
export type GitSetting = { readonly key: string; readonly value: string };

export type GitConfig = {
  readonly settings: readonly GitSetting[];
  /** Every byte was understood. Otherwise something was passed over: a line that git would refuse, or too many settings. */
  readonly isWhole: boolean;
};

/** A line that git would refuse is passed over: then git itself does not work, and obeys nothing. */
export function parseGitConfig(text: string): GitSetting[] {
  return [...readGitConfig(text).settings];
}

/** `text` may also be bytes as latin1: all that has a meaning here is ASCII. */
export function readGitConfig(text: string): GitConfig {
  const settings: GitSetting[] = [];
  const reader = new Reader(text.replace(/^(?:\uFEFF|\u00EF\u00BB\u00BF)/, "").replaceAll("\r\n", "\n"));
  let section = "";
  while (!reader.atEnd && settings.length < MOST_SETTINGS) {
    const next = reader.skipSpace();
    if (next === "[") section = reader.section() ?? section;
    else if (next === "#" || next === ";") reader.skipLine();
    else if (/[A-Za-z]/.test(next)) {
      const name = reader.name();
      const value = reader.value();
      if (section === "") reader.isWhole = false;
      else settings.push({ key: `${section}.${name}`, value });
    } else if (next !== "") reader.passOver();
  }
  return { settings, isWhole: reader.isWhole && reader.atEnd };
}

/** As git reads a switch; a name without a value is one that is on. */
export function isTrue(value: string): boolean {
  return /^(?:true|yes|on|[1-9]\d*)$/i.test(value);
}

/** Git's own idea of it, which has no others. */
const SPACE = /[ \t\n\r]/;

class Reader {
  readonly #text: string;
  #at = 0;
  isWhole = true;

  constructor(text: string) {
    this.#text = text;
  }

  get atEnd(): boolean {
    return this.#at >= this.#text.length;
  }

  /** Blank lines too; gives the next character. */
  skipSpace(): string {
    while (!this.atEnd && SPACE.test(this.#text.charAt(this.#at))) this.#at += 1;
    return this.#text.charAt(this.#at);
  }

  skipLine(): void {
    const end = this.#text.indexOf("\n", this.#at);
    this.#at = end < 0 ? this.#text.length : end + 1;
  }

  /** A line that git would refuse. */
  passOver(): void {
    this.isWhole = false;
    this.skipLine();
  }

  /** `[core]`, `[remote "origin"]`, or the old `[remote.origin]`. What follows on the same line is a setting. */
  section(): string | undefined {
    const found = /\[[ \t]*([A-Za-z0-9.-]+)[ \t]*(?:"((?:[^"\\\n]|\\[^\n])*)")?[ \t]*\]/y;
    found.lastIndex = this.#at;
    const match = found.exec(this.#text);
    if (match === null) {
      this.passOver();
      return undefined;
    }
    this.#at += match[0].length;
    const [, name = "", sub] = match;
    return sub === undefined ? name.toLowerCase() : `${name.toLowerCase()}.${sub.replace(/\\(.)/g, "$1")}`;
  }

  name(): string {
    const start = this.#at;
    while (/[A-Za-z0-9-]/.test(this.#text.charAt(this.#at))) this.#at += 1;
    return this.#text.slice(start, this.#at).toLowerCase();
  }

  value(): string {
    while (/[ \t]/.test(this.#text.charAt(this.#at))) this.#at += 1;
    const next = this.#text.charAt(this.#at);
    if (next !== "=") {
      if (next === "\n" || next === "") this.skipLine();
      else this.passOver();
      return "true";
    }
    this.#at += 1;
    return this.#valueText();
  }

  #valueText(): string {
    let value = "";
    let spaces = "";
    let quoted = false;
    for (; !this.atEnd; this.#at += 1) {
      const char = this.#text.charAt(this.#at);
      if (char === "\n") {
        if (quoted) this.isWhole = false;
        this.#at += 1;
        break;
      }
      if (!quoted && (char === "#" || char === ";")) {
        this.skipLine();
        break;
      }
      if (!quoted && SPACE.test(char)) {
        if (value !== "") spaces += char;
        continue;
      }
      value += spaces;
      spaces = "";
      if (char === '"') quoted = !quoted;
      else if (char === "\\") value += this.#escaped();
      else value += char;
    }
    return value;
  }

  /** At the end of a line it goes on in the next. */
  #escaped(): string {
    this.#at += 1;
    const char = this.#text.charAt(this.#at);
    if (char === "\n") return "";
    if (!'ntb\\"'.includes(char)) this.isWhole = false;
    return { n: "\n", t: "\t", b: "\b" }[char] ?? char;
  }
}
