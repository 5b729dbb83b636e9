// `<think>…</think>` at the very start of an answer is reasoning, also when the tags are cut over several chunks.

const OPEN = "<think>";
const CLOSE = "</think>";

export type Split = { text: string; reasoning: string };

export class ThinkTags {
  #state: "start" | "inside" | "after" = "start";
  #held = "";

  push(piece: string): Split {
    if (this.#state === "after") return { text: piece, reasoning: "" };
    this.#held += piece;
    if (this.#state === "start") {
      const opened = this.#held.trimStart();
      if (opened.length < OPEN.length && OPEN.startsWith(opened)) return { text: "", reasoning: "" };
      if (!opened.startsWith(OPEN)) return this.#leave({ text: this.#held, reasoning: "" });
      this.#held = opened.slice(OPEN.length);
      this.#state = "inside";
    }
    const end = this.#held.indexOf(CLOSE);
    if (end >= 0) {
      const text = this.#held.slice(end + CLOSE.length).replace(/^\s*\n/, "");
      return this.#leave({ text, reasoning: this.#held.slice(0, end) });
    }
    const keep = partialEnd(this.#held, CLOSE);
    const reasoning = this.#held.slice(0, this.#held.length - keep);
    this.#held = this.#held.slice(this.#held.length - keep);
    return { text: "", reasoning };
  }

  /** What was held back. An unfinished thought stays a thought. */
  end(): Split {
    const rest = this.#held;
    this.#held = "";
    return this.#state === "start" ? { text: rest, reasoning: "" } : { text: "", reasoning: rest };
  }

  #leave(split: Split): Split {
    this.#state = "after";
    this.#held = "";
    return split;
  }
}

// How many characters at the end could be the beginning of the tag.
function partialEnd(text: string, tag: string): number {
  for (let length = Math.min(tag.length - 1, text.length); length > 0; length -= 1) {
    if (tag.startsWith(text.slice(-length))) return length;
  }
  return 0;
}
