// Errors of ours and of the file system → what the model is told.
import { DecodeError, EncodeError, ManifestError, RenderError } from "@bosun/bcp";
import { failure } from "@bosun/mcp/server";
import type { Explain } from "@bosun/mcp/server";
import { PathRefused } from "./allowed-paths.ts";
import { OutputTooLong } from "./external-bcp.ts";

const SYSTEM: { [code: string]: string } = {
  ENOENT: "no such file or folder",
  EACCES: "permission denied",
  ENOTDIR: "a part of the path is not a folder",
  EISDIR: "it is a folder",
  ENOSPC: "no space left on the disk",
  ELOOP: "too many links",
};

export const explain: Explain = (error) => {
  const ours = [PathRefused, OutputTooLong, DecodeError, EncodeError, ManifestError, RenderError];
  if (error instanceof Error && ours.some((known) => error instanceof known)) return failure(error.message);
  const code = error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
  const path = error instanceof Error && "path" in error && typeof error.path === "string" ? `${error.path}: ` : "";
  const said = Object.hasOwn(SYSTEM, code) ? SYSTEM[code] : undefined;
  return said === undefined ? undefined : failure(path + said);
};
