// A failed system call in the operating system's words, as the reference prints it: `Is a directory (os error 21)`.

const TEXTS: Readonly<Record<string, readonly [number, string]>> = {
  EPERM: [1, "Operation not permitted"],
  ENOENT: [2, "No such file or directory"],
  EIO: [5, "Input/output error"],
  ENXIO: [6, "No such device or address"],
  EBADF: [9, "Bad file descriptor"],
  EAGAIN: [11, "Resource temporarily unavailable"],
  ENOMEM: [12, "Cannot allocate memory"],
  EACCES: [13, "Permission denied"],
  EBUSY: [16, "Device or resource busy"],
  EEXIST: [17, "File exists"],
  ENODEV: [19, "No such device"],
  ENOTDIR: [20, "Not a directory"],
  EISDIR: [21, "Is a directory"],
  EINVAL: [22, "Invalid argument"],
  ENFILE: [23, "Too many open files in system"],
  EMFILE: [24, "Too many open files"],
  ETXTBSY: [26, "Text file busy"],
  EFBIG: [27, "File too large"],
  ENOSPC: [28, "No space left on device"],
  EROFS: [30, "Read-only file system"],
  EPIPE: [32, "Broken pipe"],
  ENAMETOOLONG: [36, "File name too long"],
  ELOOP: [40, "Too many levels of symbolic links"],
  EDQUOT: [122, "Disk quota exceeded"],
};

export function osText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const known = "code" in error && typeof error.code === "string" ? TEXTS[error.code] : undefined;
  return known ? `${known[1]} (os error ${known[0]})` : error.message;
}
