// A copy of a file or a tree from one directory into another, through descriptors: links are copied as links, what is
// neither file, directory nor link is refused. For moves between devices.
import fs from "node:fs";
import { EngineError } from "../engine-error.ts";
import { kindOf } from "../scope/directory.ts";
import type { Directory } from "../scope/directory.ts";
import type { TimeSlices } from "../time-slices.ts";
import { ReadBuffer } from "./read-buffer.ts";
import { copyOwnerAndMode } from "./atomic-write.ts";

const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_DIRECTORY } = fs.constants;

export async function copyTree(
  from: Directory,
  source: Buffer,
  to: Directory,
  target: Buffer,
  slices: TimeSlices,
): Promise<void> {
  const stat = fs.lstatSync(from.atBytes(source), { bigint: true });
  const kind = kindOf(stat);
  if (kind === "file") await copyFile(from.atBytes(source), to.atBytes(target), slices);
  else if (kind === "symlink") fs.symlinkSync(fs.readlinkSync(from.atBytes(source), "buffer"), to.atBytes(target));
  else if (kind === "directory") await copyDirectory(from, source, to, target, slices);
  else
    throw new EngineError(
      "NOT_REGULAR",
      `${source.toString()} is neither file, directory nor link; it cannot be copied`,
    );
}

async function copyDirectory(
  from: Directory,
  source: Buffer,
  to: Directory,
  target: Buffer,
  slices: TimeSlices,
): Promise<void> {
  fs.mkdirSync(to.atBytes(target), { mode: 0o700 });
  using inside = from.enter(source);
  using made = to.enter(target);
  for (const name of fs.readdirSync(inside.self, { encoding: "buffer" })) {
    await copyTree(inside, name, made, name, slices);
  }
  const fd = fs.openSync(made.self, O_RDONLY | O_DIRECTORY);
  try {
    copyOwnerAndMode(fd, fs.statSync(inside.self, { bigint: true }));
    fs.fsyncSync(fd);
  } finally {
    fs.closeSync(fd);
  }
}

async function copyFile(source: Buffer, target: Buffer, slices: TimeSlices): Promise<void> {
  const input = fs.openSync(source, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const stat = fs.fstatSync(input, { bigint: true });
    if (kindOf(stat) !== "file") throw new EngineError("CHANGED_ON_DISK", "a file was replaced while it was copied");
    const output = fs.openSync(target, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
    try {
      await copyBytes(input, output, slices);
      copyOwnerAndMode(output, stat);
      fs.futimesSync(output, Number(stat.atimeMs) / 1000, Number(stat.mtimeMs) / 1000);
      fs.fsyncSync(output);
    } finally {
      fs.closeSync(output);
    }
  } finally {
    fs.closeSync(input);
  }
}

async function copyBytes(input: number, output: number, slices: TimeSlices): Promise<void> {
  using chunk = new ReadBuffer();
  for (let position = 0; ;) {
    const got = fs.readSync(input, chunk.bytes, 0, chunk.bytes.length, position);
    if (got === 0) return;
    for (let at = 0; at < got;) at += fs.writeSync(output, chunk.bytes, at, got - at, position + at);
    position += got;
    if (slices.due) await slices.pause();
    slices.check();
  }
}
