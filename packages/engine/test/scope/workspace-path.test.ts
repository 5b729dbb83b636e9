import { expect, test } from "bun:test";
import { parseWorkspacePath } from "../../src/index.ts";
import { Workspace, failure, outcome } from "../workspace.ts";

test.each([
  ["a.txt", "a.txt"],
  ["./a.txt", "a.txt"],
  ["a//b///c", "a/b/c"],
  ["a/./b", "a/b"],
  [".", "."],
  ["workspace", "."],
  ["workspace/", "."],
  ["workspace/workspace", "."],
  ["workspace/workspace/a.txt", "a.txt"],
  ["./workspace/a.txt", "a.txt"],
  ["src/workspace/a.txt", "src/workspace/a.txt"],
  ["workspaces/a", "workspaces/a"],
  ["a..b", "a..b"],
  ["...", "..."],
  ["~/x", "~/x"],
  ["%2e%2e/x", "%2e%2e/x"],
  ["a\\b", "a\\b"],
  ["-rf", "-rf"],
])("%p is %p", (requested, normal) => {
  expect(parseWorkspacePath(requested).normal).toBe(normal);
});

test.each([
  ["", "empty"],
  ["/etc/passwd", "absolute"],
  ["//server/share", "absolute"],
  ["\\\\server\\share", "absolute"],
  ["C:\\x", "absolute"],
  ["c:/x", "absolute"],
  ["workspace/C:/x", "absolute"],
  ["..", "parent"],
  ["../", "parent"],
  ["a/../b", "parent"],
  ["a/..", "parent"],
  ["a\\..\\b", "parent"],
  ["workspace/../secret", "parent"],
  ["a\0b", "nul"],
])("%p is refused: %s", async (requested, reason) => {
  const error = await failure(() => parseWorkspacePath(requested));
  expect(error.code).toBe("INVALID_PATH");
  expect(error.details.reason).toBe(reason);
});

test("a trailing slash on a file is not a directory", async () => {
  using workspace = new Workspace({ "a.txt": "x", "d/b": "y" });
  expect(await outcome(() => workspace.resolve(parseWorkspacePath("a.txt/").walk))).toBe("NOT_DIRECTORY");
  expect(await outcome(() => workspace.resolve(parseWorkspacePath("a.txt/.").walk))).toBe("NOT_DIRECTORY");
  expect(await outcome(() => workspace.resolve(parseWorkspacePath("d/").walk))).toBe("ok");
});
