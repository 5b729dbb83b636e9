// A command that is known to change a protected place of git's, and does nothing else, is asked about beforehand: a yes runs
// that one call with that one place open. In every other case the command runs as usual, and meets the protection.
import { closeSync, constants, openSync, readSync, realpathSync, statSync } from "node:fs";
import path from "node:path";
import type { ProtectedPlace, Repository } from "@bosun/engine";
import { approvalCall, heldWriteOf, mayBeHeldWrite, partsOfScripts } from "@bosun/policy";
import type { CallToAuthorize, Decision, GitPart, HeldWrite, ShellText } from "@bosun/policy";
import { elicitForm, isShared } from "@bosun/mcp/server";
import { askPerson } from "./ask-person.ts";
import type { Asking } from "./ask-person.ts";
import type { ServerState } from "../server/server-state.ts";
import type { CallPlaces } from "../calls/call-places.ts";
import { holds } from "../config/config.ts";
import { whileHeld } from "./ask-while-held.ts";
import { Refusal } from "../calls/refusal.ts";
import type { Acts } from "../calls/tool-definition.ts";

const MAX_PACKAGE_BYTES = 1024 * 1024;
/** Of the scripts in a question: what is longer would not be shown whole, so it is not asked about. */
const MAX_SCRIPT_CHARS = 240;

export type Opening = Asking & {
  readonly places: CallPlaces;
  readonly record: { decided(decision: Decision, acts: Acts, call: CallToAuthorize, worthALine: boolean): void };
};

/** Whether it is worth a closer look. */
export function mayChangeHeld({ command, argv, neverOpens }: Acts): boolean {
  if (neverOpens === true) return false;
  return mayBeHeldWrite(command ?? argv?.[0] ?? "");
}

/** The places that the person opened for this call; none when nothing had to be asked. Throws Refusal on a no. */
export async function askToOpen(call: CallToAuthorize, acts: Acts, opening: Opening): Promise<readonly string[]> {
  const { state, gate, context, session, record, places: held } = opening;
  if (!context.canAsk(elicitForm("", { type: "object", properties: {} }))) return [];
  await gate.loadGrammar();
  const shell = shellOf(acts, gate.parse);
  const write = shell === undefined ? undefined : heldWriteOf(shell);
  if (shell === undefined || write === undefined || call.cwd === undefined) return [];
  const { places, scripts } = changeOf(write, call.cwd, state);
  if (places.length === 0 || isOfAgent(write.program, state)) return [];
  if (scripts.join("; ").length > MAX_SCRIPT_CHARS) return [];
  const opened = places.map((place) => place.path);
  // What would be opened is part of what is agreed to.
  const asked = { ...call, shell, context: { call: call.context ?? null, opens: opened, scripts } };
  const decision = decisionOn(places, scripts, state);
  const approvals = gate.approvalsOf(session, isShared(context.owner));
  const considered = approvals.consider(approvalCall(asked), decision, call.isDestructive ?? false);
  if (considered.kind !== "ask") return [];
  record.decided(decision, acts, call, true);
  try {
    await whileHeld({ places: held, gate, decision }, () => askPerson(considered.ask, asked, opening));
    // While the question was open somebody could write other scripts: nothing is opened for those.
    const now = changeOf(write, call.cwd, state);
    return JSON.stringify(now.scripts) === JSON.stringify(scripts) ? opened : [];
  } catch (error) {
    if (error instanceof Refusal && error.kind === "cannot ask") return [];
    throw error;
  }
}

function shellOf({ command, argv }: Acts, parse: (text: string) => ShellText): ShellText | undefined {
  if (command !== undefined) return parse(command);
  if (argv === undefined) return undefined;
  return { commands: [{ kind: "command", words: argv, redirects: [], assignments: [] }] };
}

type Change = { readonly places: readonly ProtectedPlace[]; readonly scripts: readonly string[] };

/** The places of the repository that git would work on there, as far as they are protected. */
function changeOf(write: HeldWrite, cwd: string, { protection }: ServerState): Change {
  const repository = nearest(protection.repositories(), cwd);
  if (repository === undefined) return { places: [], scripts: [] };
  const { parts, texts } =
    write.scripts === undefined ? { parts: write.parts, texts: [] } : partsOfScripts(packageJsonIn(cwd), write.scripts);
  const { commonDir } = repository;
  const pointers = protection.repositories().flatMap((one) => (one.commonDir === commonDir ? [one.pointer] : []));
  const isMeant = (file: string): boolean =>
    parts.some((part) => isPart(file, part, commonDir)) || (parts.includes("worktrees") && pointers.includes(file));
  const places = protection.places().filter((place) => isMeant(place.path));
  return { places, scripts: texts };
}

function isPart(file: string, part: GitPart, commonDir: string): boolean {
  const whole = path.join(commonDir, part);
  return part === "modules" || part === "worktrees" ? holds(whole, file) : file === whole;
}

function nearest(repositories: readonly Repository[], cwd: string): Repository | undefined {
  const around = repositories.filter(({ top }) => holds(top, cwd));
  return around.toSorted((a, b) => b.top.length - a.top.length)[0];
}

/** A program called git in a folder that the agent can write is the agent's: nobody is asked to open anything for it. */
function isOfAgent(program: string, { environment, scope }: ServerState): boolean {
  if (program !== "git") return false; // the others come with the project, and the person is told so by their names
  const found = Bun.which(program, { PATH: environment["PATH"] ?? "" });
  if (found === null) return true;
  const names = [found, realOf(found)];
  return names.some((file) => file === undefined || scope.roots.some((root) => holds(root, file)));
}

function realOf(file: string): string | undefined {
  try {
    return realpathSync(file);
  } catch {
    return undefined; // gone since it was found
  }
}

function decisionOn(
  places: readonly ProtectedPlace[],
  scripts: readonly string[],
  { protection }: ServerState,
): Decision {
  const names = new Set(places.map((place) => nameOf(place, protection.shown(place.path))));
  const verb = places.every(({ use }) => use === "run by git") ? "runs" : "obeys";
  // Whatever they say runs with the place open: the person must see it.
  const ran = scripts.length === 0 ? "" : `, and runs ${scripts.join("; ")}`;
  return {
    verdict: "ask",
    rule: { name: "protected places", file: "built in" },
    reason: `This changes ${[...names].join(" and ")}, which git ${verb} outside the sandbox${ran}`,
    grantable: false,
  };
}

/** Of submodules and worktrees there may be hundreds. */
function nameOf({ path: file }: ProtectedPlace, shown: string): string {
  if (file.includes("/.git/modules/")) return "its submodules' configuration";
  return file.includes("/.git/worktrees/") || file.endsWith("/.git") ? "where its worktrees lead" : shown;
}

/** It only decides whether somebody is asked: what the agent wrote there opens nothing by itself. */
function packageJsonIn(folder: string): string {
  let fd: number | undefined;
  try {
    const file = path.join(folder, "package.json");
    if (!statSync(file).isFile()) return "";
    fd = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
    const bytes = Buffer.alloc(MAX_PACKAGE_BYTES);
    return bytes.toString("utf8", 0, readSync(fd, bytes, 0, bytes.length, 0));
  } catch {
    return ""; // no package file: no scripts
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}
