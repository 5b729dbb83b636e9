// One line of input → where it goes: the model, the shell, or a command of ours. Looks; does nothing.
import { existsSync } from "node:fs";
import path from "node:path";

export type Route =
  | { kind: "nothing" }
  | { kind: "meta"; name: string; rest: string }
  | { kind: "unknown-meta"; name: string }
  /** A prompt that a server offers. */
  | { kind: "prompt"; name: string; rest: string }
  | { kind: "shell"; command: string; remember: boolean; guessed: boolean }
  | { kind: "subshell" }
  | { kind: "ask"; text: string; guessed: boolean };

export type RouteOptions = {
  route: "ai" | "auto" | "shell";
  isMeta: (name: string) => boolean;
  isPrompt?: (name: string) => boolean;
  cwd: string;
  home: string;
  env: Readonly<Record<string, string | undefined>>;
};

const BUILTINS = new Set(
  "cd pushd popd export unset alias echo pwd type set source history jobs fg bg test true false".split(" "),
);
// Programs whose names are also how people begin a request.
const ENGLISH = new Set("find make test sort kill time watch open who what which why write".split(" "));
const PROSE = /^(?:the|a|an|me|my|all|this|that|if|whether|which|why|how)$/i;
const MARKS = /[|><&;$*~=]/;

export function route(line: string, options: RouteOptions): Route {
  const text = line.trim();
  if (text === "") return { kind: "nothing" };
  // A blank in front always means: ask the model.
  if (/^\s/.test(line)) return { kind: "ask", text, guessed: false };
  if (text.startsWith("::")) return { kind: "ask", text: text.slice(1), guessed: false };
  if (/^\\[!:]/.test(text)) return { kind: "ask", text: text.slice(1), guessed: false };
  if (text.startsWith(":")) return meta(text, options);
  // What people type in other shells: to leave, and for help.
  if (text === "exit" || text === "quit") return { kind: "meta", name: "quit", rest: "" };
  const slash = slashCommand(text, options);
  if (slash !== undefined) return slash;
  if (text.startsWith("!!")) return shell(text.slice(2), false);
  if (text === "!") return { kind: "subshell" };
  if (text.startsWith("!")) return shell(text.slice(1), true);
  if (options.route === "ai") return { kind: "ask", text, guessed: false };
  if (options.route === "shell") {
    return text.startsWith("?") ? { kind: "ask", text: text.slice(1).trim(), guessed: false } : shell(text, true);
  }
  const isCommand = looksLikeCommand(text, options);
  return isCommand
    ? { kind: "shell", command: text, remember: true, guessed: true }
    : { kind: "ask", text, guessed: true };
}

/** `/name …` is a command like `:name …`, or a prompt of a server; a path is neither. */
function slashCommand(text: string, { isMeta, isPrompt, cwd }: RouteOptions): Route | undefined {
  const [, name = "", rest = ""] = /^\/([a-z][\w.-]*)(?:\s+([\s\S]*))?$/i.exec(text) ?? [];
  if (name === "") return undefined;
  if (isMeta(name)) return { kind: "meta", name, rest };
  if (isPrompt?.(name) === true) return { kind: "prompt", name, rest };
  return existsSync(path.resolve(cwd, `/${name}`)) ? undefined : { kind: "unknown-meta", name };
}

function meta(text: string, { isMeta }: RouteOptions): Route {
  const [, name = "", rest = ""] = /^:(\S*)\s*([\s\S]*)$/.exec(text) ?? [];
  return isMeta(name) ? { kind: "meta", name, rest } : { kind: "unknown-meta", name };
}

function shell(command: string, remember: boolean): Route {
  const text = command.trim();
  return text === "" ? { kind: "nothing" } : { kind: "shell", command: text, remember, guessed: false };
}

function looksLikeCommand(text: string, options: RouteOptions): boolean {
  const words = text.split(/\s+/);
  const [first = "", ...rest] = words;
  if (!isRunnable(first, options) || text.endsWith("?")) return false;
  if (ENGLISH.has(first.toLowerCase()) && PROSE.test(rest[0] ?? "")) return false;
  if (rest.length === 0 || MARKS.test(text) || rest.some((word) => word.startsWith("-"))) return true;
  return rest.some((word) => existsSync(path.resolve(options.cwd, word)));
}

function isRunnable(word: string, { cwd, home, env }: RouteOptions): boolean {
  if (BUILTINS.has(word)) return true;
  if (word.startsWith("~/")) return existsSync(path.join(home, word.slice(2)));
  if (word.includes("/")) return existsSync(path.resolve(cwd, word));
  if (!/^[\w.+-]+$/.test(word)) return false;
  const folders = (env["PATH"] ?? "").split(":").filter((folder) => folder.startsWith("/"));
  return folders.some((folder) => existsSync(path.join(folder, word)));
}

/** A line that is not whole yet: a backslash at its end, or an open `"""` block. */
export function isWholeInput(text: string): boolean {
  if (text.startsWith('"""')) return text.length > 3 && /"""\s*$/.test(text.slice(3));
  return !/(?:^|[^\\])(?:\\\\)*\\$/.test(text);
}

/** What was meant: continuation marks and block quotes taken away. */
export function joinedInput(text: string): string {
  if (text.startsWith('"""'))
    return text
      .slice(3)
      .replace(/"""\s*$/, "")
      .replace(/^\n/, "");
  return text.replace(/\\\n/g, "\n");
}
