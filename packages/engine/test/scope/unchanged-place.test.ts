// A place that waited: the same, or refused. With descriptors and by names.
import { afterAll, beforeEach, expect, test } from "bun:test";
import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import {
  closeScope,
  EngineError,
  PinnedDirectory,
  openScope,
  resolveInScope,
  unchangedPlace,
} from "../../src/index.ts";
import type { ScopedPath } from "../../src/index.ts";

const base = realpathSync(mkdtempSync(path.join(tmpdir(), "bosun-unchanged-")));
const root = path.join(base, "w");
afterAll(() => rmSync(base, { recursive: true, force: true }));
beforeEach(() => {
  rmSync(root, { recursive: true, force: true });
  for (const folder of ["a/d", "b"]) mkdirSync(path.join(root, folder), { recursive: true });
  for (const file of ["a/x", "a/d/in", "b/y"]) writeFileSync(path.join(root, file), file);
  symlinkSync("x", path.join(root, "a/link"));
});

const at = (name: string): string => path.join(root, name);
const MODES = ["descriptors", "names"] as const;

type Row = readonly [name: string, requested: string, change: () => void];
const KEPT: readonly Row[] = [
  ["nothing", "a/x", () => {}],
  ["the link that led there", "a/link", () => (rmSync(at("a/link")), symlinkSync("../b/y", at("a/link")))],
  ["what the file holds", "a/x", () => writeFileSync(at("a/x"), "more")],
  ["a file beside it", "a/new", () => writeFileSync(at("a/other"), "")],
  ["a missing folder made", "a/m/n/file", () => mkdirSync(at("a/m/n"), { recursive: true })],
];
const REFUSED: readonly Row[] = [
  ["the file is another", "a/x", () => (renameSync(at("a/x"), at("a/z")), writeFileSync(at("a/x"), ""))],
  ["the file is gone", "a/x", () => rmSync(at("a/x"))],
  ["the file is a link", "a/x", () => (rmSync(at("a/x")), symlinkSync("../b/y", at("a/x")))],
  ["the file is another name", "a/x", () => (rmSync(at("a/x")), linkSync(at("b/y"), at("a/x")))],
  ["the name is taken", "a/new", () => writeFileSync(at("a/new"), "")],
  ["the name is taken by a link", "a/new", () => symlinkSync("../b/y", at("a/new"))],
  ["its folder is elsewhere", "a/d/new", () => renameSync(at("a/d"), at("b/d"))],
  ["its folder is another", "a/d/new", () => (renameSync(at("a/d"), at("b/d")), mkdirSync(at("a/d")))],
  [
    "its folder is a link to where it is",
    "a/d/in",
    () => (renameSync(at("a/d"), at("b/d")), symlinkSync("../b/d", at("a/d"))),
  ],
  [
    "a folder above is a link to where it is",
    "a/d/in",
    () => (renameSync(at("a"), at("c")), symlinkSync("c", at("a"))),
  ],
  ["a missing folder is a link", "a/m/n/file", () => symlinkSync("../b", at("a/m"))],
  ["a folder above what is missing is elsewhere", "a/d/n/file", () => renameSync(at("a/d"), at("b/d"))],
  ["the root is a link", "a/x", () => (renameSync(root, path.join(base, "moved")), symlinkSync("moved", root))],
];

function withPlace(mode: (typeof MODES)[number], requested: string, use: (place: ScopedPath) => void): void {
  const scope = openScope({ workdir: root, roots: [root], walkMode: mode });
  try {
    using place = resolveInScope(scope, requested);
    use(place);
  } finally {
    closeScope(scope);
    rmSync(path.join(base, "moved"), { recursive: true, force: true });
  }
}

const rowsOf = (table: readonly Row[]) => MODES.flatMap((mode) => table.map((row) => [mode, ...row] as const));

test.each(rowsOf(KEPT))("%s: the same place: %s", (mode, _, requested, change) =>
  withPlace(mode, requested, (place) => {
    change();
    using now = unchangedPlace(place);
    expect(now.path).toBe(place.path);
    expect(now.shown).toBe(requested);
  }),
);

test.each(rowsOf(REFUSED))("%s: refused: %s", (mode, _, requested, change) =>
  withPlace(mode, requested, (place) => {
    change();
    expect(codeOf(() => unchangedPlace(place))).toBe("CHANGED_ON_DISK");
  }),
);

test("no descriptor is left behind, whichever way it ends", () => {
  const open = (): number => readdirSync("/proc/self/fd").length;
  const before = open();
  withPlace("descriptors", "a/d/in", (place) => {
    const held = open();
    unchangedPlace(place)[Symbol.dispose]();
    expect(open()).toBe(held);
    renameSync(at("a/d"), at("b/d"));
    expect(codeOf(() => unchangedPlace(place))).toBe("CHANGED_ON_DISK");
    expect(open()).toBe(held);
  });
  expect(open()).toBe(before);
});

test.each<[string, boolean, () => void]>([
  ["as it was", true, () => {}],
  ["moved", false, () => renameSync(at("a/d"), at("b/d"))],
  ["another", false, () => (rmSync(at("a/d"), { recursive: true }), mkdirSync(at("a/d")))],
  ["a link to where it is", false, () => (renameSync(at("a/d"), at("b/d")), symlinkSync("../b/d", at("a/d")))],
])("a directory that is held: %s", (_, isInPlace, change) => {
  using held = PinnedDirectory.open(at("a/d"));
  change();
  expect(held?.isInPlace()).toBe(isInPlace);
});

function codeOf(use: () => ScopedPath): string | undefined {
  try {
    use()[Symbol.dispose]();
    return undefined;
  } catch (error) {
    return error instanceof EngineError ? error.code : String(error);
  }
}
