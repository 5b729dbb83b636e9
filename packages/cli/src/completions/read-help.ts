// A help text → the options and words it documents.
import type { Option } from "../options.ts";

const LISTED =
  /^ {1,8}(?:-(\w), )? *--([a-z][\w-]*)(?:[ =]([A-Z][\w.]*|[a-z][\w-]*(?:\|[\w-]+)+|\[\w+\]))?(?: {2,}(.*))?$/;
// Texts in two columns have a second option further right.
const BESIDE = / {2,}(?:-(\w), )?--([a-z][\w-]*)(?: ([A-Z][\w.]*|[a-z][\w-]*(?:\|[\w-]+)+))?(?: {2,}(.*))?$/;

export function optionsInHelp(text: string): Option[] {
  const found = new Map<string, Option>();
  const add = (match: RegExpExecArray | null, help: string): void => {
    const [, short, name, value] = match ?? [];
    if (name === undefined || found.has(name)) return;
    found.set(name, {
      name,
      help: help.trim(),
      ...(short === undefined ? {} : { short }),
      ...(value === undefined ? {} : { value }),
      ...(/\brepeatable\b/.test(help) ? { repeatable: true } : {}),
    });
  };
  for (const line of text.split("\n")) {
    const listed = LISTED.exec(line);
    const beside = BESIDE.exec(line.slice(4));
    const inner =
      beside !== null && listed !== null ? (listed[4] ?? "").slice(0, -beside[0].length) : (listed?.[4] ?? "");
    add(listed, inner);
    if (beside !== null && line.trimStart().startsWith("-")) add(beside, beside[4] ?? "");
  }
  return [...found.values()];
}

/** The lines under "Commands:". */
export function wordsInHelp(text: string): [string, string][] {
  const [, section = ""] = /^Commands:\n((?: .*\n)+)/m.exec(text) ?? [];
  return [...section.matchAll(/^ +([a-z][\w-]*) {2,}(.*)$/gm)].map(([, word = "", help = ""]) => [word, help]);
}
