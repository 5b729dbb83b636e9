// Lines of a mount table as mount(8) works them off, and what is mounted already.
import { readFileSync } from "node:fs";
import { holds } from "./boundary.ts";
import { bytesOfPath, textOfPath } from "./path-text.ts";

export type Mounted = {
  /** What is mounted in a folder: mount(8) makes only the folder itself read-only. */
  below(folder: string): string[];
  /** Options to repeat (`,nosuid,nodev`): a user namespace may not lift what was mounted with them, and to leave one out is
   * to lift it. */
  locked(file: string): string;
};

export function readMounts(): Mounted {
  // proc_pid_mountinfo(5): the fifth field is the place, the sixth its options. The last one at a place is the one to see.
  const options = new Map(
    readFileSync("/proc/self/mountinfo", "latin1")
      .trimEnd()
      .split("\n")
      .map((line) => line.split(" "))
      .map((fields) => [unescapeField(fields[4] ?? ""), (fields[5] ?? "").split(",")]),
  );
  const places = [...options.keys()].sort((a, b) => a.length - b.length);
  return {
    below: (folder) => places.filter((at) => at !== folder && holds(folder, at)),
    locked: (file) => {
      const over = options.get(places.findLast((at) => holds(at, file)) ?? "/") ?? [];
      return ["nosuid", "nodev", "noexec"].flatMap((name) => (over.includes(name) ? `,${name}` : [])).join("");
    },
  };
}

function unescapeField(text: string): string {
  const bytes = text.replaceAll(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
  return textOfPath(Buffer.from(bytes, "latin1"));
}

export function tableLine(source: string, target: string, type: string, options: string): string {
  return `${field(source)} ${field(target)} ${type} ${options} 0 0\n`;
}

// fstab(5): blanks, tabs, newlines and backslashes as octal, and every byte that is not ASCII, since names need not be
// UTF-8; a leading # would be a comment, but paths start with /.
function field(text: string): string {
  return bytesOfPath(text)
    .toString("latin1")
    .replaceAll(/[^!-[\]-~]/g, (char) => `\\${char.charCodeAt(0).toString(8).padStart(3, "0")}`);
}
