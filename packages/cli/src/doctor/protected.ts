// What of this folder is protected because git or a shell runs or obeys it outside the sandbox, and how firmly.
import { realpathSync } from "node:fs";
import { EngineError, Protection } from "@bosun/engine";
import type { Mechanism } from "@bosun/engine";
import type { Settings } from "@bosun/settings";

const SHOWN = 6;
/** For all folders, once: the server does it beside its work. */
const LOOK_MS = 10_000;

export type ProtectedFindings = {
  readonly ok: boolean;
  readonly what: string;
  readonly problem?: string;
  /** As they are called from this folder. */
  readonly places: readonly string[];
};

export function examineProtected(
  folder: string,
  home: string,
  settings: Settings | undefined,
  mechanism: Mechanism,
): ProtectedFindings {
  const paths = settings?.paths;
  const open = (paths?.open ?? []).map(({ text }) => text);
  if (paths?.protect === "off") {
    const problem = "what an agent leaves in .git can run when git is used outside the sandbox";
    return { ok: false, what: 'off (paths.protect = "off")', problem, places: [] };
  }
  try {
    const protection = new Protection({ roots: [realpathSync(folder)], home, open, extra: [], enabled: true });
    protection.deep.request();
    const isWhole = protection.deep.finish(LOOK_MS);
    protection.deep.close();
    const places = protection.places().map((place) => protection.shown(place.path));
    if (!isWhole || protection.limited) {
      const problem =
        "there are more folders or repositories here than are looked at: some repositories are not protected";
      return { ok: false, what: describe(places, open, mechanism), problem, places };
    }
    return { ok: true, what: describe(places, open, mechanism), places };
  } catch (error) {
    // A finding: a pattern of paths.open that is none.
    if (!(error instanceof EngineError)) throw error;
    return { ok: false, what: "paths.open", problem: error.message, places: [] };
  }
}

function describe(places: readonly string[], open: readonly string[], mechanism: Mechanism): string {
  if (places.length === 0) return `no repository here${opened(open)}`;
  const more = places.length > SHOWN ? ` and ${places.length - SHOWN} more` : "";
  return `${places.slice(0, SHOWN).join(", ")}${more}${opened(open)}${HOW[mechanism]}`;
}

function opened(open: readonly string[]): string {
  return open.length === 0 ? "" : `; opened: ${open.join(", ")}`;
}

const NOT_BY_KERNEL = "; this sandbox cannot make them read-only for commands: changes are put back after each command";

const HOW: Readonly<Record<Mechanism, string>> = {
  bubblewrap: "",
  namespaces: "",
  seatbelt: "",
  // It takes a folder apart around a read-only entry, and git must make new files in `.git`.
  landlock: NOT_BY_KERNEL,
  none: NOT_BY_KERNEL,
};
