// A file tool's call on a place that a person's own programs obey: what it would change, and that a person is asked first.
import { EngineError } from "@bosun/engine";
import type { PlaceState, SettledPlace, SettledPlaces, Session } from "@bosun/engine";
import { approvalCall } from "@bosun/policy";
import type { CallToAuthorize, Decision } from "@bosun/policy";
import { isObject, isShared } from "@bosun/mcp/server";
import type { Context } from "@bosun/mcp/server";
import { askPerson } from "./ask-person.ts";
import type { ServerState } from "../server/server-state.ts";
import type { WrittenPath } from "../calls/call-places.ts";
import { Refusal } from "../calls/refusal.ts";
import { changeText, contentText, isTooLong } from "./settle-question.ts";
import type { ReadContent } from "./settle-question.ts";
import type { PolicyGate } from "./policy-gate.ts";

const ABSENT: PlaceState = { kind: "absent" };

export type SettledWrite = {
  readonly file: string;
  readonly place: SettledPlace;
  /** It goes away, or something comes from elsewhere; undefined: the arguments say what is written. */
  readonly move?: { readonly from: string | undefined };
  /** What was agreed to: the digest of the content where the call says what it will be, or what is moved there. */
  agreed?: string | PlaceState;
};

/** The protected places among the paths, by either name; undefined when there are none. */
export function settledWritesAmong(
  state: ServerState,
  paths: readonly WrittenPath[],
): readonly SettledWrite[] | undefined {
  const { places } = state.changedPlaces;
  const found = paths.flatMap(({ written, real, isMovedOrDeleted }, index) => {
    // Of two paths the first is moved to the second.
    const move = isMovedOrDeleted ? { move: { from: index === 0 ? undefined : paths[0]?.real } } : {};
    const same = isMovedOrDeleted ? undefined : places.placeOfSameFile(real);
    for (const file of new Set([written, real, ...(same === undefined ? [] : [same])])) {
      const place = places.placeAt(file, isMovedOrDeleted);
      if (place !== undefined) return [{ file, place, ...move }];
    }
    return [];
  });
  return found.length === 0 ? undefined : found;
}

type Asking = Parameters<typeof askPerson>[2] & {
  readonly context: Context;
  readonly session: Session;
  readonly gate: PolicyGate;
  readonly state: ServerState;
};

/** Asks about those that are settled. Throws PROTECTED when nobody can be asked, Refusal when the answer is no. */
export async function askAboutPlaces(
  writes: readonly SettledWrite[],
  call: CallToAuthorize,
  input: unknown,
  asking: Asking,
): Promise<void> {
  const { places } = asking.state.changedPlaces;
  const [first] = writes;
  if (first === undefined) return;
  const look = (): Looked[] =>
    writes.map((write) => ({ before: places.stateAt(write.file) ?? ABSENT, coming: comingTo(write, places) }));
  const looked = look();
  const before = JSON.stringify(looked.map(fingerprintsOf));
  const decision = placeDecision(writes);
  // The answer is about what is there now: a call that comes again after something changed is another call.
  const seen: CallToAuthorize = { ...call, context: [call.context ?? null, before] };
  const approvals = asking.gate.approvalsOf(asking.session, isShared(asking.context.owner));
  const considered = approvals.consider(approvalCall(seen), decision, true);
  if (considered.kind !== "ask") throw protectedFailure(first);
  const read: ReadContent = (state) => places.contentOf(state);
  const changes = looked.map((one, index) => changeOf(one, writes[index]?.move !== undefined, input, read));
  const change = changes.flatMap(({ lines }, index) =>
    writes.length === 1 || lines.length === 0 ? lines : [`${writes[index]?.place.shown ?? ""}:`, ...lines],
  );
  // What nobody can read nobody can agree to.
  if (isTooLong(change) || changes.some(({ isWhole }) => !isWhole)) throw protectedFailure(first);
  try {
    await askPerson(considered.ask, seen, {
      ...asking,
      change: change.length === 0 ? [] : ["what it changes:", ...change],
    });
  } catch (error) {
    if (error instanceof Refusal && error.kind === "cannot ask") throw protectedFailure(first);
    throw error;
  }
  if (before !== JSON.stringify(look().map(fingerprintsOf))) {
    const message = `${first.place.shown} changed while the person was asked; nothing was written`;
    throw new EngineError("CHANGED_ON_DISK", message, { path: first.file });
  }
  for (const [index, write] of writes.entries()) {
    const agreed = changes[index]?.agreed;
    if (agreed !== undefined) write.agreed = agreed;
  }
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

/** What stands at a place, and what a move would put there. */
type Looked = { readonly before: PlaceState; readonly coming: PlaceState | undefined };

function fingerprintsOf({ before, coming }: Looked): unknown {
  return [fingerprintOf(before), fingerprintOf(coming)];
}

function fingerprintOf(state: PlaceState | undefined): unknown {
  if (state === undefined || state.kind === "absent") return null;
  if (state.kind === "file") return [state.mode, state.content?.sha256 ?? String(state.identity.ctimeNs)];
  if (state.kind === "link") return [state.target];
  if (state.kind === "other") return [state.kind, String(state.identity.ino)];
  return [state.kind, state.mode, state.isWhole, [...state.entries].map(([name, one]) => [name, fingerprintOf(one)])];
}

/** What a move would put there. */
function comingTo({ file, move }: SettledWrite, places: SettledPlaces): PlaceState | undefined {
  return move?.from === undefined ? undefined : places.stateAs(move.from, file);
}

/** `isWhole`: everything that would come there is shown, here or as an argument of the call. */
type ShownChange = {
  readonly lines: readonly string[];
  readonly isWhole: boolean;
  readonly agreed?: string | PlaceState;
};

function changeOf({ before, coming }: Looked, isMove: boolean, input: unknown, read: ReadContent): ShownChange {
  if (!isMove) return writtenChange(before, input, read);
  if (coming === undefined || coming.kind === "absent")
    return { lines: lostText(before, read), isWhole: true, agreed: ABSENT };
  const lines = changeText(before, coming, read) ?? changeText(ABSENT, coming, read);
  return { lines: lines ?? [], isWhole: lines !== undefined, agreed: coming };
}

/** What goes leads nobody astray: it is shown where it can be. */
function lostText(before: PlaceState, read: ReadContent): readonly string[] {
  if (before.kind === "absent") return [];
  const lost = changeText(before, ABSENT, read)?.slice(0, -1);
  return [...(lost === undefined || isTooLong(lost) ? [] : lost), "   it goes away"];
}

/** The difference to what is there, for calls whose arguments are new content or a replacement. */
function writtenChange(before: PlaceState, input: unknown, read: ReadContent): ShownChange {
  const nothing: ShownChange = { lines: [], isWhole: true };
  if (!isObject(input) || (before.kind !== "file" && before.kind !== "absent")) return nothing;
  const was = before.kind === "file" ? read(before) : Buffer.alloc(0);
  const text = was && newContent(input, was.toString("utf8"));
  if (was === undefined) return { ...nothing, isWhole: false };
  if (text === undefined) return nothing;
  const is = Buffer.from(text);
  const agreed = new Bun.CryptoHasher("sha256").update(is).digest("hex");
  return { lines: contentText(was, is), isWhole: true, agreed };
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
