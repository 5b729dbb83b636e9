// Redaction for text that arrives in pieces (logs, command output): a secret cut in two is still one secret.
import type { Redactor } from "./redact.ts";
import { replaceRanges } from "./redact.ts";

export type RedactStream = {
  /** What can be let out now. */
  push(chunk: string): string;
  /** The rest, at the end. */
  flush(): string;
};

// A line longer than this is let out before it ends; what could still become a secret stays behind.
const LONGEST_LINE = 64 * 1024;
const HELD_BACK = 8 * 1024;
const LONGEST_PEM = 32 * 1024;
const PEM_OPEN = "[redacted private-key]";

export function createRedactStream(redactor: Redactor): RedactStream {
  let held = "";
  let pemLeft = 0; // inside a private key: how much more may be swallowed while waiting for its end
  let swallowing = false; // inside one endless token whose beginning is already out as a note

  function take(text: string, isEnd: boolean): { out: string; rest: string } {
    let out = "";
    let rest = text;
    if (swallowing) {
      const end = rest.search(/[\s&,;"'`<>()[\]{}|\\]/);
      if (end < 0) return { out: "", rest: "" };
      rest = rest.slice(end);
      swallowing = false;
    }
    if (pemLeft > 0) {
      const tail = rest.indexOf("-----END ");
      const close = tail < 0 ? -1 : rest.indexOf("-----", tail + 9);
      if (close < 0) {
        const keep = isEnd ? 0 : Math.min(rest.length, 128); // "-----END …-----" may be cut in two
        if (rest.length - keep < pemLeft) {
          pemLeft -= rest.length - keep;
          return { out: "", rest: rest.slice(rest.length - keep) };
        }
        rest = rest.slice(pemLeft);
      } else rest = rest.slice(close + 5);
      pemLeft = 0;
    }
    const end = isEnd ? rest.length : settledEnd(rest);
    const ready = rest.slice(0, end);
    rest = rest.slice(end);
    const ranges = redactor.find(ready);
    const last = ranges.at(-1);
    if (!isEnd && last !== undefined && last.end === ready.length) {
      if (last.label === "private-key" && !ready.slice(last.start).includes("-----END ")) {
        pemLeft = Math.max(1, LONGEST_PEM - (last.end - last.start));
      } else swallowing = !ready.endsWith("\n");
    }
    out += replaceRanges(ready, ranges);
    if (pemLeft > 0 && out.endsWith(PEM_OPEN)) {
      const next = take(rest, isEnd);
      return { out: out + next.out, rest: next.rest };
    }
    return { out, rest };
  }

  // Whole lines are settled: no shape but a private key spans them. An endless line is cut where nothing is undecided.
  function settledEnd(text: string): number {
    const line = text.lastIndexOf("\n") + 1;
    if (text.length - line <= LONGEST_LINE) return line;
    const ranges = redactor.find(text);
    const last = ranges.at(-1);
    if (last !== undefined && last.end === text.length) return text.length;
    const wanted = text.length - HELD_BACK;
    const around = ranges.find(({ start, end }) => start < wanted && end > wanted);
    return around === undefined ? wanted : around.end;
  }

  return {
    push(chunk) {
      const { out, rest } = take(held + chunk, false);
      held = rest;
      return out;
    },
    flush() {
      const { out } = take(held, true);
      held = "";
      return out;
    },
  };
}
