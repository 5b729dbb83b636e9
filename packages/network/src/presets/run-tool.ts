// Asks a tool about its own configuration: from /, so that no project's counts, and never a program or a home folder that a
// sandboxed command could have written.
import { realpathSync } from "node:fs";
import path from "node:path";

const ANSWER_MS = 4000;
const MAX_ANSWER_BYTES = 256 * 1024;

export type Person = {
  /** Undefined when commands can write there: then the system's configuration counts alone. */
  readonly home: string | undefined;
  /** Folders with programs, none of which commands can write. */
  readonly folders: readonly string[];
};

export type PersonOptions = {
  readonly home: string | undefined;
  readonly path: string | undefined;
  /** The folders that commands may write. */
  readonly writable: readonly string[];
};

export function personOutside({ home, path: searched, writable }: PersonOptions): Person {
  const open = writable.flatMap((folder) => realFolder(folder) ?? []);
  const isOpen = (folder: string): boolean => open.some((other) => isWithin(other, folder));
  const real = home === undefined ? undefined : realFolder(home);
  // Also when an allowed folder lies inside the home: .npmrc is not in it, and held where it is the home itself.
  const folders = (searched ?? "").split(path.delimiter).flatMap((folder) => {
    const found = path.isAbsolute(folder) ? realFolder(folder) : undefined;
    return found === undefined || isOpen(found) ? [] : [folder];
  });
  return { home: real === undefined || isOpen(real) ? undefined : real, folders };
}

/** What the tool printed; "" when it is not there, fails or does not answer in time. */
export async function runTool(words: readonly [string, ...string[]], person: Person): Promise<string> {
  const [name, ...rest] = words;
  const program = Bun.which(name, { PATH: person.folders.join(path.delimiter) });
  if (program === null) return "";
  try {
    const child = Bun.spawn([program, ...rest], {
      cwd: "/",
      env: {
        PATH: person.folders.join(path.delimiter),
        HOME: person.home ?? "/nonexistent",
        COLUMNS: "2000", // pip breaks its help into lines, and addresses with it
        GOTOOLCHAIN: "local", // go must not fetch another go to answer
        GOFLAGS: "",
        LC_ALL: "C",
      },
      stdio: ["ignore", "pipe", "ignore"],
      lazy: true,
      timeout: ANSWER_MS,
      killSignal: "SIGKILL",
    });
    return await textOf(child.stdout);
  } catch {
    // It cannot be started: as if it were not there.
    return "";
  }
}

async function textOf(stream: ReadableStream<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  const reader = stream.getReader();
  const late = setTimeout(() => void reader.cancel(), ANSWER_MS);
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    bytes += value.length;
    if (bytes > MAX_ANSWER_BYTES) break;
    parts.push(value);
  }
  clearTimeout(late);
  await reader.cancel();
  return Buffer.concat(parts).toString();
}

function realFolder(folder: string): string | undefined {
  try {
    return realpathSync(folder);
  } catch {
    // Not there: nothing can be in it.
    return undefined;
  }
}

function isWithin(folder: string, inside: string): boolean {
  const relative = path.relative(folder, inside);
  return relative === "" || (relative !== ".." && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative));
}
