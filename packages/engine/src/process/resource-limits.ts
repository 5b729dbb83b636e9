// What one command may use, as the limits a shell sets on itself before it starts, and how to tell that one was hit.

export type ResourceLimits = {
  /** Writable memory of each process. Not address space: Node and Bun reserve far more of that than they use. */
  readonly memoryBytes?: number;
  /** Processes alive at once in the command's tree. */
  readonly processes?: number;
  /** The largest file a command may write. */
  readonly fileBytes?: number;
  readonly cpuSeconds?: number;
};

export type LimitName = "memory" | "processes" | "file size" | "cpu time";

export type Ended = {
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly lastErrorText: string;
};

// The soft limit warns with SIGXCPU, which can be told from an ordinary kill; the hard one follows.
const CPU_GRACE_SECONDS = 2;
const XCPU = 128 + 24;
const XFSZ = 128 + 25;

/** Shell words, one command each. */
export function limitsOf(dialect: "bash" | "posix", limits: ResourceLimits): string[] {
  const blockBytes = dialect === "bash" ? 1024 : 512;
  const words: string[] = [];
  if (limits.memoryBytes !== undefined) words.push(`ulimit -d ${Math.ceil(limits.memoryBytes / 1024)}`);
  if (limits.fileBytes !== undefined) words.push(`ulimit -f ${Math.ceil(limits.fileBytes / blockBytes)}`);
  if (limits.cpuSeconds !== undefined) {
    const soft = Math.max(1, Math.ceil(limits.cpuSeconds));
    words.push(`ulimit -Ht ${soft + CPU_GRACE_SECONDS}`, `ulimit -St ${soft}`);
  }
  return words;
}

/** Which limit ended the command, as far as its ending shows; what ran out of processes is known to who counts them. */
export function limitHit(limits: ResourceLimits, ended: Ended): LimitName | null {
  const { exitCode, signal, lastErrorText } = ended;
  if (limits.cpuSeconds !== undefined && (signal === "SIGXCPU" || exitCode === XCPU)) return "cpu time";
  if (limits.fileBytes !== undefined && (signal === "SIGXFSZ" || exitCode === XFSZ)) return "file size";
  if (limits.fileBytes !== undefined && /File too large|EFBIG|File size limit exceeded/.test(lastErrorText))
    return "file size";
  const failed = exitCode !== 0;
  if (limits.memoryBytes !== undefined && failed && OUT_OF_MEMORY.test(lastErrorText)) return "memory";
  return null;
}

const OUT_OF_MEMORY = /Cannot allocate memory|cannot allocate|out of memory|MemoryError|bad_alloc|ENOMEM|xmalloc/i;
