// Folders side by side that hold the same names: written once, with the folders in braces as a shell would.
//
//   {cache,cors,jwt}/ index.ts index.test.ts
//   {1=e416c77,101=283b89e}/ head          one name, and a label of its own in each folder
import { UnfoldError } from "./fold.ts";

/** `together`: stands for several names that begin so (name-tuples.ts). */
export type Named = { name: string; label: string | undefined; together?: true };

/** Names in a folder: `own` are the folders that this line opens. `alike` stands for the last of them, if any. */
export type NameLine = { kind: "names"; depth: number; own: string[]; names: Named[]; alike?: Member[] };
export type Line = NameLine | { kind: "line"; line: string };

type Member = { folder: string; label?: string | undefined };

/** Two are enough when there are several names in each. */
const MIN_FOLDERS = 3;
const MIN_FOLDERS_OF_SEVERAL = 2;
/** What may not stand between braces. */
const UNFIT = /[\s\\,{}=/]/;

/** The same lines, with neighbours that are alike in one. */
export function joinAlike(lines: readonly Line[]): Line[] {
  const joined: Line[] = [];
  for (let i = 0; i < lines.length;) {
    const line = lines[i] as Line;
    const run = line.kind === "names" ? alikeFrom(line, lines, i) : [];
    const atLeast = line.kind === "names" && line.names.length > 1 ? MIN_FOLDERS_OF_SEVERAL : MIN_FOLDERS;
    if (line.kind === "line" || run.length < atLeast) {
      joined.push(line);
      i++;
      continue;
    }
    const [only] = line.names.length === 1 ? line.names : [];
    const own = only !== undefined && run.some((other) => other.names[0]?.label !== only.label);
    const alike = run.map(({ own: folders, names }) => ({
      folder: folders.at(-1) ?? "",
      label: own ? names[0]?.label : undefined,
    }));
    joined.push({ ...line, names: own ? [{ name: only.name, label: undefined }] : line.names, alike });
    i += run.length;
  }
  return joined;
}

export function writeAlike(members: readonly Member[]): string {
  return `{${members.map(({ folder, label }) => (label === undefined ? folder : `${folder}=${label}`)).join(",")}}`;
}

/** undefined: this is the name of one folder. */
export function readAlike(word: string, labelled: boolean): Member[] | undefined {
  if (!word.startsWith("{") || !word.endsWith("}")) return undefined;
  return word
    .slice(1, -1)
    .split(",")
    .map((part) => {
      const at = labelled ? part.indexOf("=") : -1;
      const member = at < 0 ? { folder: part } : { folder: part.slice(0, at), label: part.slice(at + 1) };
      if (member.folder === "") throw new UnfoldError(`a folder without a name: ${word}`);
      return member;
    });
}

function alikeFrom(first: NameLine, lines: readonly Line[], from: number): NameLine[] {
  const depth = first.depth + first.own.length - 1;
  const run: NameLine[] = [];
  for (let i = from + 1; i < lines.length; i++) {
    const line = lines[i];
    if (line?.kind !== "names" || line.depth !== depth || line.own.length !== 1) break;
    if (!holdSameNames(first, line) || !isFit(line)) break;
    if (run.length === 0) {
      if (!isFit(first)) break;
      run.push(first);
    }
    run.push(line);
  }
  return run;
}

function isFit({ own, names }: NameLine): boolean {
  const folder = own.at(-1);
  if (folder === undefined || names.length === 0 || UNFIT.test(folder)) return false;
  return names.length > 1 || names[0]?.label === undefined || !UNFIT.test(names[0].label);
}

// One name may have another label in each folder; several may not.
function holdSameNames(left: NameLine, right: NameLine): boolean {
  if (left.names.length !== right.names.length) return false;
  const several = left.names.length > 1;
  for (let i = 0; i < left.names.length; i++) {
    const [one, other] = [left.names[i], right.names[i]];
    if (one?.name !== other?.name || (several && one?.label !== other?.label)) return false;
  }
  return true;
}
