// A small regular expression that runs in linear time on any line: it walks all possible states at once and never
// goes back. Knows . \d \w \s (and \D \W \S), classes, groups, |, * + ?, ^ and $. Anything else is a literal character
// or an error that says so.

export type Pattern = { ok: true; matches: (line: string) => boolean } | { ok: false; reason: string };

/** Larger patterns would make every character of the text expensive. */
const MAX_PATTERN = 200;

type Test = (unit: number) => boolean;
/** One state: either it takes a character and goes to `next`, or it goes on to others for free. */
type State =
  | { kind: "take"; test: Test; next: number }
  | { kind: "go"; to: number[] }
  | { kind: "start"; next: number }
  | { kind: "end"; next: number }
  | { kind: "found" };

export function compilePattern(pattern: string): Pattern {
  if (pattern.length > MAX_PATTERN) return { ok: false, reason: `a pattern has at most ${MAX_PATTERN} characters` };
  const parser = new Parser(pattern);
  try {
    const first = parser.compile();
    return { ok: true, matches: (line) => run(parser.states, first, line) };
  } catch (error) {
    if (error instanceof PatternError) return { ok: false, reason: `pattern: ${error.message}` };
    throw error;
  }
}

class PatternError extends Error {}

/** What other engines know and this one cannot do in linear time, or does not do: a pattern is written anew, once. */
function unsupported(what: string): PatternError {
  return new PatternError(
    `${what} is not supported; there are . [] () | * + ? ^ $ \\d \\w \\s \\D \\W \\S, and \\ before any other sign`,
  );
}

/** A piece of the machine: where it starts, and the states whose `next` is still open. */
type Piece = { first: number; open: number[] };

class Parser {
  readonly states: State[] = [];
  readonly #pattern: string;
  #at = 0;

  constructor(pattern: string) {
    this.#pattern = pattern;
  }

  compile(): number {
    const piece = this.#choice();
    if (this.#at < this.#pattern.length)
      throw new PatternError(`unexpected ${this.#pattern[this.#at]} at ${this.#at + 1}`);
    this.#close(piece.open, this.#add({ kind: "found" }));
    return piece.first;
  }

  #add(state: State): number {
    this.states.push(state);
    return this.states.length - 1;
  }

  #close(open: number[], next: number): void {
    for (const at of open) {
      const state = this.states[at];
      if (state?.kind === "go") state.to.push(next);
      else if (state !== undefined && state.kind !== "found") state.next = next;
    }
  }

  #choice(): Piece {
    const branches = [this.#sequence()];
    while (this.#took("|")) branches.push(this.#sequence());
    if (branches.length === 1) return branches[0] as Piece;
    const first = this.#add({ kind: "go", to: branches.map((branch) => branch.first) });
    return { first, open: branches.flatMap((branch) => branch.open) };
  }

  #sequence(): Piece {
    let whole: Piece | undefined;
    while (this.#at < this.#pattern.length && !"|)".includes(this.#pattern[this.#at] ?? "")) {
      const piece = this.#repeated();
      if (whole === undefined) whole = piece;
      else {
        this.#close(whole.open, piece.first);
        whole = { first: whole.first, open: piece.open };
      }
    }
    if (whole !== undefined) return whole;
    const empty = this.#add({ kind: "go", to: [] });
    return { first: empty, open: [empty] };
  }

  #repeated(): Piece {
    let piece = this.#atom();
    for (;;) {
      const sign = this.#pattern[this.#at];
      if (sign !== "*" && sign !== "+" && sign !== "?") return piece;
      this.#at++;
      const choice = this.#add({ kind: "go", to: [piece.first] });
      if (sign === "?") piece = { first: choice, open: [...piece.open, choice] };
      else {
        this.#close(piece.open, choice);
        piece = { first: sign === "*" ? choice : piece.first, open: [choice] };
      }
    }
  }

  #atom(): Piece {
    const unit = this.#pattern[this.#at++] ?? "";
    if (unit === "(") {
      if (this.#pattern.startsWith("?:", this.#at)) this.#at += 2;
      else if (this.#pattern[this.#at] === "?") throw unsupported(this.#extension());
      const piece = this.#choice();
      if (!this.#took(")")) throw new PatternError("a ) is missing");
      return piece;
    }
    if ("*+?".includes(unit)) throw new PatternError(`nothing to repeat at ${this.#at}`);
    const count = unit === "{" ? /^\d+,?\d*\}/.exec(this.#pattern.slice(this.#at))?.[0] : undefined;
    if (count !== undefined) throw unsupported(`{${count} (a count)`);
    const at = this.#add(
      unit === "^"
        ? { kind: "start", next: -1 }
        : unit === "$"
          ? { kind: "end", next: -1 }
          : { kind: "take", test: this.#test(unit), next: -1 },
    );
    return { first: at, open: [at] };
  }

  /** `(?i)`, `(?=`, `(?<!`, `(?<name>`: as it was written. */
  #extension(): string {
    const [written] = /^\?(?:[a-zA-Z-]+\)|<?[=!]|P?<\w*>|.?)/.exec(this.#pattern.slice(this.#at)) ?? [];
    return `(${written}`;
  }

  #test(unit: string): Test {
    if (unit === ".") return () => true;
    if (unit === "[") return this.#class();
    if (unit === "\\") return this.#escaped();
    const code = unit.charCodeAt(0);
    return (other) => other === code;
  }

  #escaped(): Test {
    const unit = this.#pattern[this.#at++];
    if (unit === undefined) throw new PatternError("a \\ at the end");
    const named = NAMED[unit.toLowerCase()];
    if (named !== undefined) return unit === unit.toLowerCase() ? named : (other) => !named(other);
    if (/[A-Za-z0-9]/.test(unit) && !"tnr".includes(unit)) throw unsupported(`\\${unit}`);
    const code = unit === "t" ? 9 : unit === "n" ? 10 : unit === "r" ? 13 : unit.charCodeAt(0);
    return (other) => other === code;
  }

  #class(): Test {
    const negated = this.#took("^");
    const tests: Test[] = [];
    for (let first = true; ; first = false) {
      const unit = this.#pattern[this.#at++];
      if (unit === undefined) throw new PatternError("a ] is missing");
      if (unit === "]" && !first) break;
      if (unit === "\\") tests.push(this.#escaped());
      else if (
        this.#pattern[this.#at] === "-" &&
        this.#pattern[this.#at + 1] !== "]" &&
        this.#pattern[this.#at + 1] !== undefined
      ) {
        const [low, high] = [unit.charCodeAt(0), this.#pattern.charCodeAt(this.#at + 1)];
        this.#at += 2;
        tests.push((other) => other >= low && other <= high);
      } else {
        const code = unit.charCodeAt(0);
        tests.push((other) => other === code);
      }
    }
    return negated ? (other) => !tests.some((test) => test(other)) : (other) => tests.some((test) => test(other));
  }

  #took(wanted: string): boolean {
    if (this.#pattern[this.#at] !== wanted) return false;
    this.#at++;
    return true;
  }
}

const NAMED: Record<string, Test> = {
  d: (unit) => unit >= 48 && unit <= 57,
  w: (unit) => (unit >= 48 && unit <= 57) || (unit >= 65 && unit <= 90) || unit === 95 || (unit >= 97 && unit <= 122),
  s: (unit) => unit === 32 || (unit >= 9 && unit <= 13) || unit === 0xa0,
};

// A match may start anywhere: the first state is entered again at every character.
function run(states: State[], first: number, line: string): boolean {
  const seenAt = new Int32Array(states.length).fill(-1);
  let current: number[] = [];
  let found = false;
  const enter = (start: number, position: number, into: number[]) => {
    const stack = [start];
    while (stack.length > 0) {
      const at = stack.pop() ?? 0;
      if (seenAt[at] === position) continue;
      seenAt[at] = position;
      const state = states[at];
      if (state?.kind === "found") found = true;
      else if (state?.kind === "go") stack.push(...state.to);
      else if (state?.kind === "start") {
        if (position === 0) stack.push(state.next);
      } else if (state?.kind === "end") {
        if (position === line.length) stack.push(state.next);
      } else into.push(at);
    }
  };
  enter(first, 0, current);
  for (let i = 0; i < line.length; i++) {
    if (found) return true;
    const unit = line.charCodeAt(i);
    const next: number[] = [];
    for (const at of current) {
      const state = states[at];
      if (state?.kind === "take" && state.test(unit)) enter(state.next, i + 1, next);
    }
    enter(first, i + 1, next);
    current = next;
  }
  return found;
}
