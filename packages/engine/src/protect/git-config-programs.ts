// Which entries of a git configuration name programs, or files with more entries: read as git reads them, without git.

/** Section, and variable or a pattern of it. A subsection in between may be anything. */
const PROGRAMS: readonly (readonly [section: string, variable: RegExp])[] = [
  ["core", /^(?:hookspath|sshcommand|pager|editor|askpass|gitproxy|alternaterefscommand)$/],
  ["alias", /./],
  ["pager", /./],
  ["include", /^path$/],
  ["includeif", /^path$/],
  ["credential", /^helper$/],
  ["diff", /^(?:external|command|textconv)$/],
  ["difftool", /^(?:cmd|path)$/],
  ["merge", /^driver$/],
  ["mergetool", /^(?:cmd|path)$/],
  ["filter", /^(?:clean|smudge|process)$/],
  ["gpg", /^(?:program|defaultkeycommand)$/],
  ["sequence", /^editor$/],
  ["interactive", /^difffilter$/],
  ["browser", /^(?:cmd|path)$/],
  ["man", /^(?:cmd|path)$/],
  ["guitool", /^cmd$/],
  ["trailer", /^(?:cmd|command)$/],
  ["hook", /^command$/],
  ["remote", /^(?:uploadpack|receivepack|vcs)$/],
  ["uploadpack", /^packobjectshook$/],
  ["protocol", /^allow$/],
  ["sendemail", /^(?:smtpserver|sendmailcmd|tocmd|cccmd|headercmd)$/],
  ["instaweb", /./],
  ["tar", /^command$/],
];
const BOOLEAN = /^(?:true|false|yes|no|on|off|0|1|)$/i;
const EMPTY_CONFIG = "[core]\n\trepositoryformatversion = 0\n";

/** The same configuration without them; undefined when there are none. What cannot be read leaves nothing of it. */
export function withoutPrograms(text: string): string | undefined {
  let isClean = true;
  let section = "";
  const kept: string[] = [];
  for (const line of logicalLines(text)) {
    const header = /^\s*\[\s*([a-z0-9.-]+)(?:\s+"(?:[^"\\]|\\.)*")?\s*\]/i.exec(line);
    if (header !== null) section = (header[1] ?? "").toLowerCase().split(".")[0] ?? "";
    else if (/^\s*\[/.test(line)) return EMPTY_CONFIG;
    const rest = header === null ? line : line.slice(header[0].length);
    if (/^\s*(?:[#;].*)?$/s.test(rest)) {
      kept.push(line);
      continue;
    }
    const entry = /^\s*([a-z][a-z0-9-]*)\s*(?:=(.*))?$/is.exec(rest);
    if (entry === null) return EMPTY_CONFIG;
    if (!namesProgram(section, (entry[1] ?? "").toLowerCase(), (entry[2] ?? "").trim())) {
      kept.push(line);
      continue;
    }
    isClean = false;
    if (header !== null) kept.push(header[0]);
  }
  return isClean ? undefined : `${kept.join("\n")}\n`;
}

/** What counts of a configuration: the entries that name programs, or all of it when it cannot be read. */
export function programsIn(text: string): string {
  const clean = withoutPrograms(text);
  if (clean === undefined) return "";
  const harmless = new Set(clean.split("\n"));
  return text
    .split("\n")
    .filter((line) => !harmless.has(line))
    .join("\n");
}

function namesProgram(section: string, variable: string, value: string): boolean {
  const plain = value.replace(/^"(.*)"$/, "$1");
  // Switched on or off it is git's own; anything else is a program.
  if (section === "core" && variable === "fsmonitor") return !BOOLEAN.test(plain);
  if (section === "submodule" && variable === "update") return plain.startsWith("!");
  return PROGRAMS.some(([known, pattern]) => known === section && pattern.test(variable));
}

/** A backslash at the end of a line continues it. */
function logicalLines(text: string): string[] {
  const lines: string[] = [];
  let open = "";
  for (const line of text.replace(/\r?\n$/, "").split(/\r?\n/)) {
    open += line;
    if (/(?:^|[^\\])(?:\\\\)*\\$/.test(line)) {
      open += "\n";
      continue;
    }
    lines.push(open);
    open = "";
  }
  if (open !== "") lines.push(open);
  return lines;
}
