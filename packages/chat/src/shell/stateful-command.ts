// `cd`, `pushd`, `popd`, `export` and `unset` as a whole command act on aish itself, so that they last.

export type StatefulCommand =
  | { kind: "directory"; command: string }
  | { kind: "push"; folder: string | undefined }
  | { kind: "pop" }
  | { kind: "export"; name: string; value: string }
  | { kind: "unset"; names: string[] };

// Anything a shell would treat specially makes it an ordinary command again.
const PLAIN = /^[^;&|<>()`\n]*$/;

export function statefulCommand(command: string): StatefulCommand | undefined {
  const text = command.trim();
  if (!PLAIN.test(text)) return undefined;
  const [word = ""] = text.split(/\s+/);
  const rest = text.slice(word.length).trim();
  if (word === "cd") return { kind: "directory", command: text };
  if (word === "pushd") return { kind: "push", folder: rest === "" ? undefined : rest };
  if (word === "popd" && rest === "") return { kind: "pop" };
  if (word === "export") {
    const [, name, value = ""] = /^([A-Za-z_]\w*)=(.*)$/.exec(rest) ?? [];
    return name === undefined || value.includes("$") ? undefined : { kind: "export", name, value: unquoted(value) };
  }
  if (word === "unset" && /^(?:[A-Za-z_]\w*\s*)+$/.test(rest)) return { kind: "unset", names: rest.split(/\s+/) };
  return undefined;
}

function unquoted(value: string): string {
  const [, quote, inner] = /^(["'])(.*)\1$/.exec(value) ?? [];
  return quote === undefined ? value : (inner ?? "");
}
