// Which system calls a command does without: ways around the other walls, as the filter program that the kernel runs on
// each call. Namespaces do not cover sockets to the hypervisor or the kernel's key rings, and a command that can make a
// user namespace has all of the kernel's privileged surface before it.

// struct sock_filter: code, jump if true, jump if false, operand.
type Step = readonly [code: number, jumpTrue: number, jumpFalse: number, operand: number];

type Machine = { readonly audit: number; readonly calls: Calls; readonly otherAbiFrom: number | undefined };
type Calls = {
  readonly clone: number;
  readonly unshare: number;
  readonly socket: number;
  readonly refused: readonly number[];
  /** Calls that change a mode, of a file or a folder, and which argument that is. */
  readonly modes: readonly (readonly [call: number, argument: number])[];
  /** Calls that make a file with a mode. */
  readonly creations: readonly (readonly [call: number, argument: number])[];
};

const LOAD = 0x20;
const IF_EQUAL = 0x15;
const IF_AT_LEAST = 0x35;
const IF_ANY_BIT = 0x45;
const RETURN = 0x06;

const NUMBER_AT = 0;
const MACHINE_AT = 4;
const FIRST_ARGUMENT_AT = 16; // its low half: both machines are little-endian
const ARGUMENT_BYTES = 8;

const ALLOW = 0x7fff_0000;
const FAIL_WITH = 0x0005_0000;
const EPERM = 1;
const ENOSYS = 38;
const EAFNOSUPPORT = 97;

const CLONE_NEWUSER = 0x1000_0000;
const SET_USER_ID = 0o4000;
const SET_GROUP_ID = 0o2000;
const [AF_UNIX, AF_INET, AF_INET6, AF_NETLINK] = [1, 2, 10, 16];

// The same on every machine since 5.1.
const IO_URING = [425, 426, 427]; // it would make sockets without asking here
const CLONE3 = 435; // its flags lie in memory, where a filter cannot look: C libraries fall back to clone

const OPENAT2 = 437; // its mode lies in memory, too: programs fall back to openat
const FCHMODAT2 = 452;

// Refused: bpf, userfaultfd, and the three of the key rings. Modes: chmod, fchmod, fchmodat. Creations:
// open, creat, openat, mknod, mknodat. As far as the machine has them.
const MACHINES: Readonly<Record<string, Machine>> = {
  x64: {
    audit: 0xc000_003e,
    calls: {
      clone: 56,
      unshare: 272,
      socket: 41,
      refused: [321, 323, 248, 249, 250],
      modes: [
        [90, 1],
        [91, 1],
        [268, 2],
      ],
      creations: [
        [2, 2],
        [85, 1],
        [257, 3],
        [133, 1],
        [259, 2],
      ],
    },
    otherAbiFrom: 0x4000_0000, // x32: the same calls under other numbers
  },
  arm64: {
    audit: 0xc000_00b7,
    calls: {
      clone: 220,
      unshare: 97,
      socket: 198,
      refused: [280, 282, 217, 218, 219],
      modes: [
        [52, 1],
        [53, 2],
      ],
      creations: [
        [56, 3],
        [33, 2],
      ],
    },
    otherAbiFrom: undefined,
  },
};

/** The program as the kernel takes it; undefined on a machine whose numbers are not known here. */
export function systemCallFilter(
  options: { readonly internetSockets: boolean },
  machine: string = process.arch,
): Uint8Array | undefined {
  const known = MACHINES[machine];
  if (known === undefined) return undefined;
  const { audit, calls, otherAbiFrom } = known;
  const families = [AF_UNIX, AF_NETLINK, ...(options.internetSockets ? [AF_INET, AF_INET6] : [])];
  const steps: Step[] = [
    [LOAD, 0, 0, MACHINE_AT],
    // Programs of another machine (32 bits) have other numbers and one call for all sockets: not run at all.
    [IF_EQUAL, 1, 0, audit],
    [RETURN, 0, 0, FAIL_WITH | ENOSYS],
    [LOAD, 0, 0, NUMBER_AT],
    ...(otherAbiFrom === undefined ? [] : when(IF_AT_LEAST, otherAbiFrom, ENOSYS)),
    ...[...IO_URING, CLONE3, OPENAT2, ...calls.refused].flatMap((call) => when(IF_EQUAL, call, ENOSYS)),
    ...onCall(calls.clone, 0, when(IF_ANY_BIT, CLONE_NEWUSER, EPERM)),
    ...onCall(calls.unshare, 0, when(IF_ANY_BIT, CLONE_NEWUSER, EPERM)),
    // A program that runs as whoever owns it would outlive the sandbox, in a folder that others may reach.
    ...[...calls.modes, [FCHMODAT2, 2] as const].flatMap(([call, argument]) =>
      onCall(call, argument, when(IF_ANY_BIT, SET_USER_ID, EPERM)),
    ),
    // Of changing a mode the group's bit is let through: folders need it, and a filter cannot tell them from files.
    ...calls.creations.flatMap(([call, argument]) =>
      onCall(call, argument, when(IF_ANY_BIT, SET_USER_ID | SET_GROUP_ID, EPERM)),
    ),
    ...onCall(calls.socket, 0, [
      ...families.flatMap((family): Step[] => [
        [IF_EQUAL, 0, 1, family],
        [RETURN, 0, 0, ALLOW],
      ]),
      [RETURN, 0, 0, FAIL_WITH | EAFNOSUPPORT],
    ]),
    [RETURN, 0, 0, ALLOW],
  ];
  return encode(steps);
}

function when(test: number, operand: number, error: number): Step[] {
  return [
    [test, 0, 1, operand],
    [RETURN, 0, 0, FAIL_WITH | error],
  ];
}

/** For one call only: an argument is loaded, judged, and allowed if no step decided. */
function onCall(call: number, argument: number, judge: readonly Step[]): Step[] {
  const at = FIRST_ARGUMENT_AT + argument * ARGUMENT_BYTES;
  return [[IF_EQUAL, 0, judge.length + 2, call], [LOAD, 0, 0, at], ...judge, [RETURN, 0, 0, ALLOW]];
}

function encode(steps: readonly Step[]): Uint8Array {
  const view = new DataView(new ArrayBuffer(steps.length * 8));
  for (const [index, [code, jumpTrue, jumpFalse, operand]] of steps.entries()) {
    view.setUint16(index * 8, code, true);
    view.setUint8(index * 8 + 2, jumpTrue);
    view.setUint8(index * 8 + 3, jumpFalse);
    view.setUint32(index * 8 + 4, operand, true);
  }
  return new Uint8Array(view.buffer);
}
