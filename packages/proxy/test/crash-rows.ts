// What a server can do wrong, row by row, and what must come of it. Used by the test and by scripts/crash-table.ts.

export type CrashRow = {
  /** The tool of the faulty server that does it. */
  does: string;
  /** In words. */
  what: string;
  /** What the call that met it says. */
  fails?: RegExp;
  answers?: string;
  /** How often the server was started and the tool was run, all in all. */
  starts: number;
  ran: number;
  options?: string[];
};

export const CRASH_ROWS: readonly CrashRow[] = [
  { does: "die", what: "kill: it ends in the middle", fails: /gone: exit 3/, starts: 2, ran: 1 },
  { does: "flood", what: "flood: 5 MB of notifications first", answers: "flooded", starts: 1, ran: 1 },
  {
    does: "stall",
    what: "stall: no answer at all",
    fails: /no answer within 2000 ms/,
    starts: 1,
    ran: 1,
    options: ["--timeout", "2"],
  },
  { does: "garbage", what: "garbage before the answer", answers: "after the garbage", starts: 1, ran: 1 },
  {
    does: "late",
    what: "late: an answer after the deadline",
    fails: /no answer within 1000 ms/,
    starts: 1,
    ran: 1,
    options: ["--timeout", "1"],
  },
  { does: "twice", what: "duplicate: two answers", answers: "first", starts: 1, ran: 1 },
  { does: "too_long", what: "a message of 40 MB", fails: /over the limit/, starts: 1, ran: 1 },
  { does: "too_deep", what: "JSON 5,000 levels deep", fails: /deep|nested|valid/, starts: 1, ran: 1 },
  { does: "bad_utf8", what: "an answer that is not UTF-8", fails: /not valid UTF-8/, starts: 1, ran: 1 },
  { does: "bad_json", what: "an answer that is half JSON", fails: /not valid JSON/, starts: 1, ran: 1 },
  { does: "bad_json_last", what: "the same, its id at the end", fails: /not valid JSON/, starts: 1, ran: 1 },
  { does: "ping_flood", what: "100,000 pings first", answers: "pinged", starts: 1, ran: 1 },
  { does: "ask_flood", what: "20,000 questions first", answers: "asked", starts: 1, ran: 1 },
  { does: "stderr_flood", what: "20,000 lines on stderr first", answers: "said", starts: 1, ran: 1 },
];
