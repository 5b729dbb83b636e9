// A client's configuration on disk: read with its identity, backed up, replaced whole, never half written.
import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import path from "node:path";
import { codeOf } from "@bosun/platform/errors";

const MAX_BYTES = 32 * 1024 * 1024; // ~/.claude.json holds history too, and grows

/** What a person can do something about; the message says what. */
export class ConfigFileError extends Error {
  override readonly name = "ConfigFileError";
}

export type ConfigFile = {
  /** The file itself, links resolved: what is replaced. */
  readonly real: string;
  /** undefined: there is none yet. */
  readonly text: string | undefined;
  readonly mode: number;
};

/** `within`: a file of a project, which came with it: a link must not make us write elsewhere. */
export function readConfigFile(file: string, within: string | undefined): ConfigFile {
  const real = realPathOf(file);
  if (within !== undefined && !`${real}${path.sep}`.startsWith(`${realpathSync(within)}${path.sep}`)) {
    throw new ConfigFileError(`${file} is a link that leads out of this folder, to ${real}`);
  }
  let descriptor: number;
  try {
    descriptor = openSync(real, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    // No file yet: one is made.
    if (codeOf(error) === "ENOENT") return { real, text: undefined, mode: within === undefined ? 0o600 : 0o644 };
    throw new ConfigFileError(`${real} cannot be read (${codeOf(error)})`);
  }
  try {
    const stat = fstatSync(descriptor);
    if (!stat.isFile()) throw new ConfigFileError(`${real} is not a file`);
    if (stat.size > MAX_BYTES) throw new ConfigFileError(`${real} is too large (${stat.size} bytes)`);
    return { real, text: decoded(real, readFileSync(descriptor)), mode: stat.mode & 0o777 };
  } finally {
    closeSync(descriptor);
  }
}

/** Gives the name of the backup. Refuses when the file is no longer what was read. */
export function replaceConfigFile(before: ConfigFile, text: string, now: Date): string | undefined {
  try {
    return replace(before, text, now);
  } catch (error) {
    // The system does not say that nothing was changed.
    if (error instanceof ConfigFileError) throw error;
    throw new ConfigFileError(`${before.real} cannot be written (${codeOf(error)}): nothing was changed`);
  }
}

function replace({ real, mode, text: old }: ConfigFile, text: string, now: Date): string | undefined {
  const folder = path.dirname(real);
  mkdirSync(folder, { recursive: true });
  const backup = old === undefined ? undefined : backUp(real, old, mode, now);
  const aside = `${real}.${process.pid}.bosun`;
  writeNew(aside, text, mode);
  try {
    const current = readConfigFile(real, undefined);
    if (current.real !== real || current.text !== old) {
      throw new ConfigFileError(`${real} was changed meanwhile: nothing was written, try again`);
    }
    renameSync(aside, real);
  } catch (error) {
    // The new text did not get its name: it stays nowhere.
    rmSync(aside, { force: true });
    throw error;
  }
  syncFolder(folder);
  return backup;
}

function backUp(file: string, text: string, mode: number, now: Date): string {
  const stamp = now.toISOString().replace(/[-:]/g, "").replace("T", "-").slice(0, 15);
  for (let attempt = 1; ; attempt += 1) {
    const name = `${file}.${stamp}${attempt === 1 ? "" : `-${attempt}`}.backup`;
    try {
      writeNew(name, text, mode);
      return name;
    } catch (error) {
      // A backup of the same second: the next number.
      if (codeOf(error) !== "EEXIST" || attempt > 100) throw error;
    }
  }
}

function writeNew(file: string, text: string, mode: number): void {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);
  const descriptor = openSync(file, flags, mode);
  try {
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length;) at += writeSync(descriptor, bytes, at);
    fchmodSync(descriptor, mode); // whatever the umask
    fsyncSync(descriptor);
  } catch (error) {
    rmSync(file, { force: true }); // half of it is of no use to anybody
    throw error;
  } finally {
    closeSync(descriptor);
  }
}

function syncFolder(folder: string): void {
  if (process.platform === "win32") return;
  const descriptor = openSync(folder, constants.O_RDONLY);
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Of a file that is not there, its nearest real folder decides; a link to nowhere is refused. */
function realPathOf(file: string): string {
  if (lstatSync(file, { throwIfNoEntry: false }) === undefined) {
    const folder = path.dirname(file);
    return folder === file ? file : path.join(realPathOf(folder), path.basename(file));
  }
  try {
    return realpathSync(file);
  } catch {
    // The system would say ENOENT of a name that can be seen.
    throw new ConfigFileError(`${file} is a link that leads nowhere`);
  }
}

function decoded(file: string, bytes: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    // The decoder does not name the file.
    throw new ConfigFileError(`${file} is not UTF-8 text`);
  }
}
