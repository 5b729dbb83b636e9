// A label that every process of a command carries and hands on to its children, whatever they do to their session,
// group, parents or environment: the resource limit on file locks. Linux has ignored that limit since 2.4, so any number
// will do, and /proc shows it. Layout, in decimal digits: ours (7) · session (6) · command (5).
import { readFileSync } from "node:fs";
import { randomBelow } from "../random-hex.ts";

const SESSION_DIGITS = 6;
const COMMAND_DIGITS = 5;

/** The variable that carries the tag too, for shells that cannot set the limit. */
export const TAG_VARIABLE = "BOSUN_CALL";

export type TagTest = (tag: string) => boolean;

export class TagSpace {
  readonly prefix: string;
  /** Whether a wrapper may also lower the hard limit. Not when we ourselves run under somebody's tag: it must stay. */
  readonly ownsHardLimit: boolean;
  #session = 0;

  constructor() {
    const hard = ownHardLimit();
    this.ownsHardLimit = hard === "unlimited";
    // Under a finite hard limit only lower numbers can be set: one digit less than any tag of the one above us.
    this.prefix = String(this.ownsHardLimit ? 1_000_000 + randomBelow(8_999_999) : 100_000 + randomBelow(899_999));
  }

  /** Holds for every command of ours. */
  readonly matches: TagTest = (tag) =>
    tag.length === this.prefix.length + SESSION_DIGITS + COMMAND_DIGITS && tag.startsWith(this.prefix);

  /** Tags of one session: a generator for its commands, and a test for all of them. */
  session(): SessionTags {
    this.#session = (this.#session + 1) % 10 ** SESSION_DIGITS;
    return new SessionTags(this.prefix + String(this.#session).padStart(SESSION_DIGITS, "0"));
  }
}

export class SessionTags {
  readonly #prefix: string;
  #command = 0;

  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  next(): string {
    this.#command = (this.#command + 1) % 10 ** COMMAND_DIGITS;
    return this.#prefix + String(this.#command).padStart(COMMAND_DIGITS, "0");
  }

  /** Holds for every command of this session. */
  readonly matches: TagTest = (tag) =>
    tag.length === this.#prefix.length + COMMAND_DIGITS && tag.startsWith(this.#prefix);
}

/** A pattern for grep -E that finds any of our tags in a /proc limits file. */
export function limitsPattern(prefix: string): string {
  return `^Max file locks .*[[:space:]]${prefix}[0-9]{${SESSION_DIGITS + COMMAND_DIGITS}}[[:space:]]`;
}

/** The tags a process carries, soft and hard: a Bosun inside a Bosun keeps the outer one as its hard limit. */
export function tagsOf(pid: number | "self"): readonly string[] {
  try {
    const line = /^Max file locks\s+(\S+)\s+(\S+)/m.exec(readFileSync(`/proc/${pid}/limits`, "latin1"));
    return line === null ? [] : [line[1] ?? "", line[2] ?? ""];
  } catch {
    return []; // gone, or no /proc here
  }
}

function ownHardLimit(): string {
  return tagsOf("self")[1] ?? "unlimited";
}
