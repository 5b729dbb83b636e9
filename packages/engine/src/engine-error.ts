// What can go wrong in the engine: one error class, a stable code, facts as data. It knows no tool surface:
// a surface maps the code to its own, and words its own message from `details`.

/**
 * Stable codes, by what the caller can do about them. A surface must map every one; `satisfies Record<EngineCode, …>`
 * in the adapter makes the compiler check that.
 */
export type EngineCode =
  // arguments
  | "INVALID_INPUT" // an argument that no file or process could make right
  | "INVALID_PATTERN" // a regular expression the search engine refuses
  | "INVALID_GLOB" // a glob that does not parse
  | "UNKNOWN_FILE_TYPE" // a search type that is not in the table; details.known
  // where
  | "INVALID_PATH" // the text itself is not a path one may ask for (NUL, "..", absolute, empty); details.reason
  | "OUTSIDE_SCOPE" // no allowed root holds it
  | "PATH_DENIED" // a deny pattern covers it; details.pattern. Says nothing about whether it exists
  | "READ_ONLY" // it may be read, not written; details.pattern
  | "PROTECTED" // the person's own programs run or obey it; the message says which and how the person can open it
  | "LINK_LOOP" // too many symbolic links on the way
  // what is there
  | "NOT_FOUND"
  | "NOT_FILE" // a directory where a file is needed
  | "NOT_REGULAR" // a FIFO, socket or device
  | "NOT_DIRECTORY" // details.reason "file-on-the-way" when a part of the path is a file, so that nothing can be there
  | "ALREADY_EXISTS"
  | "DIRECTORY_NOT_EMPTY"
  | "TOO_LARGE" // details.bytes, details.maxBytes, details.what: "file" | "content" | "result"
  | "BINARY_FILE" // a text operation on a file with a NUL in its first bytes
  | "RANGE_INVALID" // details.start, details.end, details.totalLines when the start lies past the end
  // edits
  | "TEXT_NOT_FOUND" // details.nearest when something close was seen
  | "TEXT_AMBIGUOUS" // details.occurrences
  | "COUNT_DIFFERS" // details.occurrences, details.expected
  | "NOT_VIEWED"
  | "CHANGED_SINCE_VIEW"
  | "CHANGED_ON_DISK" // somebody else wrote between our read and our write
  // processes
  | "EMPTY_COMMAND"
  | "COMMAND_NOT_ALLOWED" // an allow list or block list refused it; details.reason
  | "COMMAND_UNPARSABLE" // refused because a block list is active and the text cannot be understood
  | "START_FAILED" // details.reason: "program" | "cwd" | "sandbox" | "limit" | "argument"
  | "TASK_LIMIT" // details.limit
  | "TASK_NOT_FOUND" // details.id
  | "SESSION_CLOSED"
  | "SANDBOX_UNAVAILABLE"
  // the rest
  | "CANCELLED"
  | "IO_ERROR"; // details.operation, details.errno

/** Facts for the surface's own wording. `path` is the resolved path: never show it on a surface that hides host paths. */
export type FailureDetails = {
  readonly path?: string;
  readonly requested?: string;
  readonly reason?: string;
  readonly pattern?: string;
  readonly operation?: string;
  readonly errno?: string;
  readonly what?: string;
  readonly bytes?: number;
  readonly maxBytes?: number;
  readonly occurrences?: number;
  readonly expected?: number;
  readonly start?: number;
  readonly end?: number;
  readonly totalLines?: number;
  readonly nearest?: string;
  readonly known?: readonly string[];
  readonly id?: string;
  readonly limit?: number;
  readonly command?: string;
};

/** The engine's only thrown error; anything else that escapes is a bug. */
export class EngineError extends Error {
  readonly code: EngineCode;
  readonly details: FailureDetails;

  /** `message` names what the caller wrote, never a path the caller did not. */
  constructor(code: EngineCode, message: string, details: FailureDetails = {}, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "EngineError";
    this.code = code;
    this.details = details;
  }
}

/** The errno name (ENOENT, …) of a failed system call, or undefined when it was not one. */
export function errnoOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || error instanceof EngineError || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}

/**
 * A system error as an IO_ERROR that says which operation failed on what, without the system's own wording of paths. An
 * EngineError stays what it is; anything else is a bug of ours and is thrown on.
 */
export function ioError(operation: string, shown: string, error: unknown, path?: string): EngineError {
  if (error instanceof EngineError) return error;
  const errno = errnoOf(error);
  if (errno === undefined) throw error;
  return new EngineError(
    "IO_ERROR",
    `could not ${operation} ${shown}: ${ERRNO_TEXT[errno] ?? errno}`,
    { operation, errno, requested: shown, ...(path === undefined ? {} : { path }) },
    error,
  );
}

/** Whether this process or machine has run out of something: then what was not seen must not pass for not there. */
export function isExhausted(error: unknown): boolean {
  const errno = error instanceof EngineError ? error.details.errno : errnoOf(error);
  return errno === "EMFILE" || errno === "ENFILE" || errno === "ENOMEM";
}

const ERRNO_TEXT: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EPERM: "operation not permitted",
  ENOSPC: "no space left on the device",
  EDQUOT: "disk quota exceeded",
  EROFS: "the file system is read-only",
  EMFILE: "too many open files",
  ENFILE: "too many open files on this machine",
  ENAMETOOLONG: "the name is too long",
  EIO: "input/output error",
  EBUSY: "it is in use",
  ETXTBSY: "it is being executed",
  EFBIG: "the file would be too large",
  ENOENT: "it is not there, or nothing can be made there",
  ENOTDIR: "a part of the path is not a directory",
  EISDIR: "it is a directory",
  EINVAL: "the file system refuses it",
  EOPNOTSUPP: "the file system cannot do that",
  EAGAIN: "it is not available now",
  ENXIO: "there is no such device",
  ENODEV: "there is no such device",
  ESTALE: "the file system has lost it",
  ENOTCONN: "the file system is not connected",
  ENOMEM: "out of memory",
};
