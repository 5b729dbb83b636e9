// A file tool's call on a place that a person's own programs obey: what it would change, and that a person is asked first.
import { EngineError } from "@bosun/engine";
import type { PlaceState, SettledPlace, Session } from "@bosun/engine";
import { approvalCall } from "@bosun/guard";
import type { CallToDecide, Decision } from "@bosun/guard";
import { isObject, isShared } from "@bosun/mcp/server";
import type { Context } from "@bosun/mcp/server";
import { askPerson } from "./approval.ts";
import type { Bench } from "./bench.ts";
import type { WrittenPath } from "./call-places.ts";
import { Refusal } from "./refusal.ts";
import { contentText } from "./settle-question.ts";
import type { Watch } from "./watch.ts";

export type SettledWrite = {
  readonly file: string;
  readonly place: SettledPlace;
  /** The digest of the content that was agreed to, where the call says what it will be. */
  agreed?: string;
};

/** The protected places among the paths, by either name; undefined when there are none. */
export function settledWritesAmong(bench: Bench, paths: readonly WrittenPath[]): readonly SettledWrite[] | undefined {
  const { places } = bench.changedPlaces;
  const found = paths.flatMap(({ written, real, isMovedOrDeleted }) => {
    for (const file of new Set([written, real])) {
      const place = places.placeAt(file, isMovedOrDeleted);
      if (place !== undefined) return [{ file, place }];
    }
    return [];
  });
  return found.length === 0 ? undefined : found;
}

type Asking = Parameters<typeof askPerson>[2] & {
  readonly context: Context;
  readonly session: Session;
  readonly watch: Watch;
  readonly bench: Bench;
};

/** Asks about those that are settled. Throws PROTECTED when nobody can be asked, Refusal when the answer is no. */
export async function askAboutPlaces(
  writes: readonly SettledWrite[],
  call: CallToDecide,
  input: unknown,
  asking: Asking,
): Promise<void> {
  const { places } = asking.bench.changedPlaces;
  const [first] = writes;
  if (first === undefined) return;
  const before = writes.map(({ file }) => places.stateAt(file));
  const decision = placeDecision(writes);
  // The answer is about what is there now: a call that comes again after something changed is another call.
  const seen: CallToDecide = { ...call, context: [call.context ?? null, before.map(fingerprintOf)] };
  const approvals = asking.watch.approvalsOf(asking.session, isShared(asking.context.owner));
  const considered = approvals.consider(approvalCall(seen), decision, true);
  if (considered.kind !== "ask") throw protectedFailure(first);
  const change = changeOf(before[0], input, (state) => places.contentOf(state));
  try {
    await askPerson(considered.ask, seen, { ...asking, change: change?.lines ?? [] });
  } catch (error) {
    if (error instanceof Refusal && error.kind === "cannot ask") throw protectedFailure(first);
    throw error;
  }
  const now = writes.map(({ file }) => places.stateAt(file));
  if (JSON.stringify(before.map(fingerprintOf)) !== JSON.stringify(now.map(fingerprintOf))) {
    const message = `${first.place.shown} changed while the person was asked; nothing was written`;
    throw new EngineError("CHANGED_ON_DISK", message, { path: first.file });
  }
  if (change !== undefined) first.agreed = change.sha256;
}

/** Never answered by an approval of the tool in general: that one has not seen this change. */
export function placeDecision([first]: readonly SettledWrite[]): Decision {
  const { shown = "", why = "" } = first?.place ?? {};
  return {
    verdict: "ask",
    rule: { name: "protected places", file: "built in" },
    reason: `${shown} is a protected place (${why})`,
    part: shown,
    grantable: false,
  };
}

function protectedFailure({ file, place }: SettledWrite): EngineError {
  const way = `The person can allow it: --open-place '${place.opening}'`;
  const message = `PROTECTED: ${place.shown}: ${place.why} outside the sandbox. ${way}`;
  return new EngineError("PROTECTED", message, { path: file, requested: place.shown });
}

function fingerprintOf(state: PlaceState | undefined): unknown {
  if (state === undefined || state.kind === "absent") return null;
  if (state.kind === "file") return [state.mode, state.content?.sha256 ?? String(state.identity.ctimeNs)];
  return state.kind === "link" ? [state.target] : [state.kind];
}

/** The difference to what is there, for calls whose arguments are new content or a replacement. */
function changeOf(
  before: PlaceState | undefined,
  input: unknown,
  read: (state: PlaceState) => Buffer | undefined,
): { readonly lines: readonly string[]; readonly sha256: string } | undefined {
  if (!isObject(input) || (before !== undefined && before.kind !== "file" && before.kind !== "absent"))
    return undefined;
  const was = before?.kind === "file" ? read(before) : Buffer.alloc(0);
  const text = was && newContent(input, was.toString("utf8"));
  if (was === undefined || text === undefined) return undefined;
  const is = Buffer.from(text);
  const sha256 = new Bun.CryptoHasher("sha256").update(is).digest("hex");
  return { lines: ["what it changes:", ...contentText(was, is)], sha256 };
}

function newContent(input: Readonly<Record<string, unknown>>, was: string): string | undefined {
  const text = (...names: string[]): string | undefined => {
    for (const name of names) {
      const value = input[name];
      if (typeof value === "string") return value;
    }
    return undefined;
  };
  const isEdit = "old_str" in input || "find" in input;
  if (!isEdit || input["command"] === "create") return text("content", "file_text");
  const [find, replace] = [text("old_str", "find"), text("new_str", "replace") ?? ""];
  if (find === undefined || find === "") return undefined;
  const isAll = input["replace_all"] === true || input["replaceAll"] === true;
  return isAll ? was.split(find).join(replace) : was.replace(find, () => replace);
}
