// A turn on a terminal: words as they come, frames around tools, one line of status for everything else.
import { createScreenSafeStream, makeScreenSafe } from "@bosun/platform/safe-text";
import type { ScreenSafeStream } from "@bosun/platform/safe-text";
import type { Progress } from "@bosun/mcp";
import type { Outcome } from "../conversation/turn-types.ts";
import { sizeText } from "../servers/result-text.ts";
import type { Server } from "../servers/mcp-server.ts";
import { moneyText } from "../turn/cost.ts";
import type { AnswerFacts, RunningCall, ShownCall, TurnView } from "../turn/turn-view.ts";
import { framedText } from "./untrusted-text.ts";
import { cutToWidth } from "./text-layout.ts";
import { MarkdownStream } from "./markdown-stream.ts";
import type { Terminal } from "./terminal.ts";

const SHOWN_LINES = 12;
const PROGRESS_MS = 200;
/** After this without a word, what is held back of one is shown. */
const PAUSE_MS = 80;

export class TerminalView implements TurnView {
  readonly #terminal: Terminal;
  /** Set once the settings are known. */
  isStyled: boolean;
  #running: string | undefined;
  #words: { safe: ScreenSafeStream; markdown: MarkdownStream } | undefined;
  #clock: Timer | undefined;
  #pause: Timer | undefined;
  #reasoningSince = 0;
  #reasoningMs = 0;

  constructor(terminal: Terminal, options: { styled: boolean }) {
    this.#terminal = terminal;
    this.isStyled = options.styled;
  }

  sending(): void {
    const startedAt = Date.now();
    this.#tick(() => `[aish] waiting… ${Math.round((Date.now() - startedAt) / 1000)} s (Ctrl-C stops)`);
    this.#reasoningSince = 0;
    this.#reasoningMs = 0;
  }

  waiting(why: string, ms: number): void {
    const until = Date.now() + ms;
    const said = safeLine(why);
    if (!this.#terminal.isTerminal) this.status(said);
    this.#tick(() => `[aish] ${said} in ${Math.max(0, Math.ceil((until - Date.now()) / 1000))} s (Ctrl-C stops)`);
  }

  text(piece: string): void {
    this.#stopClock();
    this.#endReasoning();
    this.#words ??= {
      safe: createScreenSafeStream({ unforged: true }),
      markdown: new MarkdownStream(
        this.isStyled ? this.#terminal.wordStyle : PLAIN,
        () => this.#terminal.columns,
        this.#terminal.isUtf8,
      ),
    };
    const { markdown, safe } = this.#words;
    this.#terminal.words(markdown.push(safe.push(piece)));
    clearTimeout(this.#pause);
    this.#pause = setTimeout(() => this.#terminal.words(markdown.pause()), PAUSE_MS);
  }

  reasoning(_piece: string): void {
    if (this.#reasoningSince !== 0) return;
    this.#reasoningSince = Date.now();
    this.#tick(() => `[aish] thinking… ${Math.round((Date.now() - this.#reasoningSince) / 1000)} s (Ctrl-C stops)`);
  }

  answerEnded(facts: AnswerFacts): void {
    this.#stopClock();
    this.#endReasoning();
    this.#flush();
    if (facts.reasoningChars > 0) {
      const seconds = (this.#reasoningMs / 1000).toFixed(1);
      this.status(`thought for ${seconds} s (${count(facts.reasoningChars)} characters) · :think shows it`);
    }
    if (!facts.isLast || !facts.hasText) return;
    const used = facts.usage === undefined ? [] : [`${count(facts.usage.in)} in / ${count(facts.usage.out)} out`];
    const full = `ctx ${Math.round(facts.full * 100)}%${facts.isWindowKnown ? "" : "?"}`;
    const cost = facts.money === undefined ? [] : [moneyText(facts.money)];
    this.status([`${(facts.ms / 1000).toFixed(1)} s`, ...used, full, ...cost].join(" · "));
  }

  status(text: string): void {
    this.#stopClock();
    this.#flush();
    this.#terminal.line(this.#terminal.style.dim(`[aish] ${safeLine(text)}`));
  }

  problem(text: string): void {
    this.#stopClock();
    this.#flush();
    this.#terminal.line(this.#terminal.style.red(`[aish] ${safeLine(text, 600)}`));
  }

  /** Ctrl-C, before anything has come of it. */
  interrupted(): void {
    this.#stopClock();
    this.#terminal.interruptMark();
    if (this.#running !== undefined) this.status(`asking ${this.#running} to cancel…`);
  }

  callList(names: readonly string[]): void {
    this.status(`${names.length} calls: ${names.join(", ")}`);
  }

  decided(): void {
    // The frames say it.
  }

  readBack(call: ShownCall, text: string): void {
    const which = typeof call.arguments?.["result"] === "string" ? ` ${call.arguments["result"]}` : "";
    this.status(`the model reads more of a result${which} (${count(text.length)} characters)`);
  }

  notRun(call: ShownCall, words: string, outcome: Outcome): void {
    if (outcome === "refused") this.status(`refused ${call.name}${words}`);
    else this.problem(`${call.name}: ${words}`);
  }

  started(call: ShownCall, server: Server): RunningCall {
    this.#flush();
    this.#running = server.alias;
    const startedAt = Date.now();
    const { frames } = this.#terminal;
    const name = safeLine(call.name);
    let said = "";
    let shownAt = 0;
    const line = (): string =>
      `${frames.top}${name}   running… ${Math.round((Date.now() - startedAt) / 1000)} s${said}   (Ctrl-C cancels)`;
    this.#tick(line, 1000, 300);
    return {
      progress: (progress) => {
        said = progressText(progress);
        if (Date.now() - shownAt < PROGRESS_MS) return;
        shownAt = Date.now();
        this.#terminal.transient(line());
      },
      result: (text, facts) => {
        this.#running = undefined;
        this.#stopClock();
        this.#frame(name, text, facts);
      },
      failed: (words, outcome) => {
        this.#running = undefined;
        this.#stopClock();
        const shown = outcome === "cancelled" ? `${call.name} ${words}` : `mcp: ${call.name}: ${words}`;
        if (outcome === "cancelled") this.status(shown);
        else this.problem(shown);
      },
    };
  }

  #frame(name: string, text: string, facts: { outcome: Outcome; ms: number; bytes: number; told: boolean }): void {
    const { frames, style } = this.#terminal;
    const all = text.replace(/\s+$/, "").split(/\r?\n/);
    const shown = all.slice(0, SHOWN_LINES).join("\n");
    const lead = style.dim(frames.side);
    const rows = framedText(this.#terminal, shown, 2000);
    const more = all.length - SHOWN_LINES;
    if (more > 0) rows.push(`${lead}… ${count(more)} more lines (:last shows all)`);
    const end =
      facts.outcome === "ok"
        ? style.dim(`${frames.bottom}ok · ${sizeText(facts.bytes)} · ${facts.ms} ms`)
        : style.red(`${frames.bottom}failed · ${facts.ms} ms${facts.told ? " (told the model)" : ""}`);
    this.#terminal.line([style.dim(`${frames.top}${name}`), ...rows, end].join("\n"));
  }

  #flush(): void {
    const words = this.#words;
    if (words === undefined) return;
    this.#words = undefined;
    clearTimeout(this.#pause);
    this.#terminal.words(words.markdown.push(words.safe.flush()) + words.markdown.flush());
    this.#terminal.endWords();
  }

  #endReasoning(): void {
    if (this.#reasoningSince === 0) return;
    this.#reasoningMs = Date.now() - this.#reasoningSince;
    this.#reasoningSince = 0;
  }

  #tick(line: () => string, everyMs = 1000, firstMs = 400): void {
    this.#stopClock();
    if (!this.#terminal.isTerminal) return;
    // Short waits show nothing: a line that flashes by only disturbs.
    this.#clock = setTimeout(() => {
      this.#terminal.transient(line());
      this.#clock = setInterval(() => this.#terminal.transient(line()), everyMs);
    }, firstMs);
  }

  #stopClock(): void {
    clearTimeout(this.#clock);
    clearInterval(this.#clock);
    this.#clock = undefined;
    this.#terminal.clearTransient();
  }
}

const PLAIN = { ...({} as Terminal["wordStyle"]), hasColor: false };

export function safeLine(text: string, maxChars = 300): string {
  return makeScreenSafe(text.trimEnd(), { oneLine: true, maxChars }).text;
}

function progressText({ progress, total, message }: Progress): string {
  const share = total !== undefined && total > 0 ? ` · ${Math.round((progress / total) * 100)} %` : ` · ${progress}`;
  const said = message === undefined ? "" : ` "${cutToWidth(safeLine(message), 40)}"`;
  return `${share}${said}`;
}

export function count(number: number): string {
  return Math.round(number).toLocaleString("en-US");
}
