// A small reader of shell text for tests only: enough grammar to write attack tables as the text an attacker would write.
// The product's grammar lives in another package; this one refuses what it does not know.
import type { Redirect, ShellText, SimpleCommand, Word } from "../../src/rules/shell-text.ts";

export function parseShell(text: string): Extract<ShellText, { commands: unknown }> {
  const reader = new Reader(text);
  try {
    reader.list("");
  } catch (error) {
    return { commands: [...reader.commands, { kind: "unparsable", reason: String((error as Error).message) }] };
  }
  return { commands: reader.commands, defines: reader.defines };
}

const KEYWORDS = new Set("if then else elif fi while until do done for in case esac { } ! time".split(" "));

class Reader {
  readonly commands: (SimpleCommand & {
    words: Word[];
    redirects: Redirect[];
    assignments: { name: string; value: Word }[];
  })[] = [];
  readonly defines: string[] = [];
  #at = 0;
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  list(until: string): void {
    let current: (typeof this.commands)[number] | undefined;
    const open = (): NonNullable<typeof current> => {
      if (current === undefined)
        this.commands.push((current = { kind: "command", words: [], redirects: [], assignments: [] }));
      return current;
    };
    for (;;) {
      this.#skip(/[ \t]|\\\n/y);
      if (this.#at >= this.#text.length) {
        if (until !== "") throw new Error(`${until} is missing`);
        return;
      }
      if (until !== "" && this.#text.startsWith(until, this.#at)) {
        this.#at += until.length;
        return;
      }
      if (this.#take(/#[^\n]*/y) !== "") continue;
      if (this.#take(/&&|\|\||\|&|;;|[;\n|]|&(?!>)/y) !== "") current = undefined;
      else if (this.#text[this.#at] === "(") {
        this.#at += 1;
        if (current?.words.length === 1 && this.#take(/\s*\)/y) !== "") this.defines.push(String(current.words.pop()));
        else this.list(")");
        current = undefined;
      } else if (this.#text[this.#at] === ")") throw new Error("a ) without a (");
      else {
        const op = this.#take(/\d*(?:<<<|<<-?|<>|>>|>\||[<>]&|&>>?|[<>](?!\())/y);
        if (op !== "") {
          this.#skip(/[ \t]/y);
          const target = this.#word();
          open().redirects.push({
            op: op.replace(/^\d+/, ""),
            target,
            access: /^\d*<(?!>)/.test(op) ? "read" : "write",
          });
          continue;
        }
        const start = this.#at;
        const word = this.#word();
        const source = this.#text.slice(start, this.#at);
        const assignment = /^([A-Za-z_][A-Za-z0-9_]*)\+?=/.exec(source);
        if (
          typeof word === "string" &&
          word === source &&
          KEYWORDS.has(word) &&
          (current === undefined || current.words.length === 0)
        ) {
          if (word === "function") throw new Error("not known here");
          // The plain words of a loop run nothing.
          if (word === "for") this.#at += /^\s+\w+\s+in\s[^;\n$`]*/.exec(this.#text.slice(this.#at))?.[0].length ?? 0;
          continue;
        }
        if (assignment !== null && (current === undefined || current.words.length === 0)) {
          const value = typeof word === "string" ? word.slice(assignment[0].length) : word;
          open().assignments.push({ name: assignment[1] ?? "", value });
        } else open().words.push(word);
      }
    }
  }

  #word(): Word {
    const start = this.#at;
    let value = "";
    let dynamic = false;
    while (this.#at < this.#text.length) {
      const character = this.#text[this.#at] ?? "";
      if (
        /[\s;&|()]/.test(character) &&
        !(character === "(" && /[<>=?*+@!$]/.test(this.#text[this.#at - 1] ?? "") && this.#at > start)
      )
        break;
      if (/[<>]/.test(character) && this.#text[this.#at + 1] !== "(") break;
      if (character === "{" && this.#at === start && /\s/.test(this.#text[this.#at + 1] ?? " ")) {
        this.#at += 1;
        return character;
      }
      this.#at += 1;
      if (character === "\\") value += this.#text[this.#at++] ?? "";
      else if (character === "'") value += this.#until("'");
      else if (character === '"') {
        const inside = this.#quoted();
        value += inside.value;
        dynamic ||= inside.dynamic;
      } else if (character === "$" && this.#text[this.#at] === "'") {
        this.#at += 1;
        value += ansi(this.#until("'"));
      } else if (/[$`]/.test(character)) {
        dynamic = this.#expansion(character) || dynamic;
      } else if (/[<>]/.test(character)) {
        this.#at += 1;
        this.list(")");
        dynamic = true;
      } else {
        if (/[*?[{~]/.test(character) && !(character === "{" && this.#text[this.#at] === "}")) dynamic = true;
        value += character;
      }
    }
    if (this.#at === start) throw new Error(`a ${this.#text[start]} in the wrong place`);
    return dynamic ? { dynamic: this.#text.slice(start, this.#at) } : value;
  }

  #expansion(sign: string): boolean {
    if (sign === "`") {
      const inner = parseShell(this.#until("`"));
      this.commands.push(...(inner.commands as typeof this.commands));
      return true;
    }
    if (this.#take(/\(\([^()]*\)\)/y) !== "") return true; // arithmetic
    if (this.#text[this.#at] === "(") {
      this.#at += 1;
      this.list(")");
      return true;
    }
    if (this.#text[this.#at] === "{") {
      this.#until("}");
      return true;
    }
    return this.#take(/[A-Za-z_][A-Za-z0-9_]*|[0-9@*#?$!-]/y) !== "";
  }

  #quoted(): { value: string; dynamic: boolean } {
    let value = "";
    let dynamic = false;
    for (;;) {
      const character = this.#text[this.#at++];
      if (character === undefined) throw new Error("a quote is never closed");
      if (character === '"') return { value, dynamic };
      if (character === "\\" && /[\\"$`\n]/.test(this.#text[this.#at] ?? "")) value += this.#text[this.#at++] ?? "";
      else if (character === "$" || character === "`") dynamic = this.#expansion(character) || dynamic;
      else value += character;
    }
  }

  #until(end: string): string {
    const found = this.#text.indexOf(end, this.#at);
    if (found < 0) throw new Error(`${end} is missing`);
    const inside = this.#text.slice(this.#at, found);
    this.#at = found + end.length;
    return inside;
  }

  #take(sticky: RegExp): string {
    sticky.lastIndex = this.#at;
    const found = sticky.exec(this.#text)?.[0] ?? "";
    this.#at += found.length;
    return found;
  }

  #skip(sticky: RegExp): void {
    while (this.#take(sticky) !== "");
  }
}

function ansi(text: string): string {
  return text.replace(
    /\\(?:x([0-9a-f]{1,2})|([0-7]{1,3})|(.))/gi,
    (_, hex?: string, octal?: string, letter?: string) => {
      if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16));
      if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8));
      return letter === "n" ? "\n" : letter === "t" ? "\t" : (letter ?? "");
    },
  );
}
