// What each mechanism enforces, in words for a person (`bosun doctor`) and for a model (the server's instructions).
import { systemCallFilter } from "./system-calls.ts";
import { heldBy } from "./boundary.ts";
import type { Boundary } from "./boundary.ts";

export type Mechanism = "bubblewrap" | "namespaces" | "landlock" | "seatbelt" | "none";

export type SandboxDescription = {
  readonly mechanism: Mechanism;
  /** One line each: what holds. */
  readonly enforces: readonly string[];
  /** One line each: what does not, so that nobody relies on it. */
  readonly gaps: readonly string[];
  /** How to get a better one, when there is one. */
  readonly advice: string | undefined;
};

export function describeSandbox(mechanism: Mechanism, boundary: Boundary): SandboxDescription {
  return { mechanism, ...FACTS[mechanism](boundary) };
}

/** A few sentences for a model: why something it tries may fail. `hasTasks`: it has a way to leave something running. */
export function sandboxInstructions(
  { mechanism }: SandboxDescription,
  boundary: Boundary,
  { hasTasks }: { readonly hasTasks: boolean } = { hasTasks: true },
): string {
  if (mechanism === "none") return "Commands run without a sandbox, with the rights of the server's user.";
  const reach =
    boundary.writable.length === 0
      ? "read and write everything that is not denied"
      : `write to ${boundary.writable.join(", ")} and the temporary folder, read the system and the tools on PATH, and nothing else`;
  const net = boundary.network
    ? ""
    : mechanism === "landlock"
      ? " The network is off."
      : " The network is off, except loopback inside one command.";
  const ends = mechanism === "bubblewrap" || mechanism === "namespaces";
  const advice = hasTasks ? ": use run_in_background for servers" : "";
  const lifetime = ends ? ` Processes left in the background end with their command${advice}.` : "";
  const home = ends && boundary.writable.length > 0 && !heldBy(boundary.writable, boundary.home);
  const lasting = home ? " The home folder starts empty with each command; the temporary folder lasts." : "";
  return `Commands run in a sandbox (${mechanism}): they can ${reach}.${net}${lifetime}${lasting}`;
}

type Facts = Omit<SandboxDescription, "mechanism">;

const SHARED_NETWORK = "the network is shared with this machine, its loopback services included";
const NO_FILTER =
  "no system call filter: sockets to a hypervisor (vsock), key rings and user namespaces can be reached";
const INSTALL =
  "Install bubblewrap (apt install bubblewrap, dnf install bubblewrap): it hides what is denied and ends every process with its command.";

const FACTS: Readonly<Record<Mechanism, (boundary: Boundary) => Facts>> = {
  bubblewrap: (boundary) => ({
    enforces: [
      ...filesLine(boundary),
      ...namespaceLines(boundary),
      "capabilities and set-user-id programs have no effect; 32-bit programs do not run",
    ],
    gaps: [...(boundary.network ? [SHARED_NETWORK] : []), ...missingFilter()],
    advice: undefined,
  }),
  namespaces: (boundary) => ({
    enforces: [
      ...filesLine(boundary),
      ...namespaceLines(boundary),
      "commands appear as root of a user namespace without capabilities",
    ],
    gaps: [...(boundary.network ? [SHARED_NETWORK] : []), NO_FILTER],
    advice: "Install bubblewrap: the same boundary with a system call filter, in a third of the time per command.",
  }),
  landlock: (boundary) => ({
    enforces: [
      ...filesLine(boundary),
      ...(boundary.network ? [] : ["no internet sockets"]),
      "signals and abstract sockets do not reach processes outside (kernel 6.12 or newer)",
    ],
    gaps: [
      ...missingFilter(),
      "names and sizes of files outside can be seen, their content cannot; their modes and times can be changed",
      "Unix sockets outside can be connected to (an agent for keys, a container engine)",
      "programs cannot open a terminal of their own",
      "in a folder that directly holds a denied or read-only entry no new file can be made",
      "processes are found and killed by their label, not by the kernel",
    ],
    advice: INSTALL,
  }),
  seatbelt: (boundary) => ({
    enforces: [...filesLine(boundary), ...(boundary.network ? [] : ["network off, except loopback"])],
    gaps: [
      "file names outside can be seen, their content cannot",
      "processes are found and killed by group and parent",
    ],
    advice: undefined,
  }),
  none: () => ({
    enforces: ["the whole process tree of a command ends on timeout, cancel, session end and server end"],
    gaps: ["commands can read and write whatever the server's user can", "the network is open"],
    advice: process.platform === "linux" ? INSTALL : undefined,
  }),
};

function missingFilter(): string[] {
  return systemCallFilter({ internetSockets: true }) === undefined ? [NO_FILTER] : [];
}

function filesLine(boundary: Boundary): string[] {
  const writable = boundary.writable.length === 0 ? "everything (unscoped)" : boundary.writable.join(", ");
  return [
    `writable: ${writable}, and a temporary folder of the session`,
    ...(boundary.writable.length === 0
      ? []
      : ["readable: the system and the toolchains on PATH; the rest of the home folder is absent"]),
    ...(boundary.denied.length === 0 ? [] : [`${boundary.denied.length} denied places cannot be read or created`]),
    ...(boundary.readOnly.length === 0 ? [] : [`${boundary.readOnly.length} places cannot be changed or created`]),
  ];
}

function namespaceLines(boundary: Boundary): string[] {
  return [
    "all processes of a command end with it, and with the server, by the kernel",
    "processes outside cannot be seen or signalled",
    ...(boundary.network ? [] : ["network off; loopback works inside one command"]),
  ];
}
