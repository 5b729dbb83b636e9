// The examination in words for a person.
import { screenSafe } from "@bosun/platform/safe-text";
import type { Examination, Finding } from "./examine.ts";

export function reportOf(found: Examination): string {
  const { sandbox } = found;
  const { description, attempts, mechanism } = sandbox;
  const lines = [
    `bosun ${found.version}  ${found.runtime}  ${found.platform}`,
    line(true, "executable", found.executable),
    "",
    mechanism === "none"
      ? line(false, "sandbox", "NONE WORKS HERE: commands are not limited to the allowed folders")
      : line(true, "sandbox", `${mechanism}, for commands in ${found.folder}`),
    ...attempts.map(({ mechanism, works, why }) =>
      detail(`${works ? "works" : "no"}: ${mechanism}${works ? "" : ` (${why})`}`),
    ),
    ...heading("It enforces", description.enforces),
    ...heading("It does not", description.gaps),
    ...heading(mechanism === "none" ? "To get one" : "To get a better one", sandbox.advice),
    finding("protected", found.protected),
    "",
    finding("ripgrep", found.ripgrep),
    finding("shell", found.shell),
    finding("settings", found.settings),
    ...found.settings.warnings.map((warning) => line(false, "", warning)),
    ...(found.project === undefined ? [] : [finding("project file", found.project)]),
    ...Object.entries(found.folders).map(([name, folder]) => finding(`${name} folder`, folder)),
    "",
    found.ok ? "Commands can be confined." : verdict(found),
  ];
  // Paths and messages can hold anything a folder's name can.
  return screenSafe(lines.join("\n"));
}

function verdict({ sandbox, settings }: Examination): string {
  const reasons = [
    ...(sandbox.mechanism === "none"
      ? ["commands cannot be confined here (bosun serve --sandbox require refuses to start)"]
      : []),
    ...(settings.ok ? [] : ["the settings cannot be used, and nothing starts until they can"]),
  ];
  return `Not ready: ${reasons.join("; ")}.`;
}

function finding(name: string, { ok, what, problem }: Finding): string {
  return line(ok, name, problem === undefined ? what : problem.startsWith(what) ? problem : `${what}: ${problem}`);
}

function line(ok: boolean, name: string, text: string): string {
  return `${ok ? "ok" : "!!"}  ${name.padEnd(14)} ${text}`;
}

function heading(title: string, items: readonly string[]): string[] {
  return items.length === 0 ? [] : [detail(`${title}:`), ...items.map((item) => detail(`  ${item}`))];
}

function detail(text: string): string {
  return `${" ".repeat(19)}${text}`;
}
