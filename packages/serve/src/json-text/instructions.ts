// The few WebAssembly instructions we use, and a module around them: enough to write a loop over bytes that is fast from
// its first run on, where JavaScript would first have to be run slowly for a while.

export type Code = readonly number[];

const MAGIC_AND_VERSION = [0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0];
const [I32, I64, V128, EMPTY] = [0x7f, 0x7e, 0x7b, 0x40];

export const local = (index: number): Code => [0x20, index];
export const set = (index: number, value: Code): Code => [...value, 0x21, index];
export const i32 = (value: number): Code => [0x41, ...signed(BigInt(value))];
export const i64 = (value: bigint): Code => [0x42, ...signed(BigInt.asIntN(64, value))];

const binary =
  (opcode: number) =>
  (left: Code, right: Code): Code => [...left, ...right, opcode];
export const add = binary(0x6a);
export const sub = binary(0x6b);
export const shiftLeft = binary(0x74);
export const equal = binary(0x46);
export const differs = binary(0x47);
export const less = binary(0x49);
export const sub64 = binary(0x7d);
export const and64 = binary(0x83);
export const or64 = binary(0x84);
export const xor64 = binary(0x85);
export const shiftRight64 = binary(0x88);
export const isZero64 = (value: Code): Code => [...value, 0x50];
export const not = (value: Code): Code => [...value, 0x45];
export const trailingZeros64 = (value: Code): Code => [...value, 0x7a];
export const narrowed = (value: Code): Code => [...value, 0xa7];
export const widened = (value: Code): Code => [...value, 0xad];
export const equal64 = binary(0x51);
export const add64 = binary(0x7c);
export const shiftLeft64 = binary(0x86);

// Addresses need not be aligned.
export const loadByte = (address: Code, offset = 0): Code => [...address, 0x2d, 0, offset];
export const loadWord = (address: Code, offset = 0): Code => [...address, 0x29, 0, offset];
export const storeByte = (address: Code, value: Code): Code => [...address, ...value, 0x3a, 0, 0];
export const storeWord = (address: Code, value: Code, offset = 0): Code => [...address, ...value, 0x37, 0, offset];

// Sixteen bytes at a time; not every processor has these, and then a module with them is not valid.
const vector =
  (opcode: number) =>
  (...operands: Code[]): Code => [...operands.flat(), 0xfd, ...unsigned(opcode)];
export const loadVector = (address: Code, offset = 0): Code => [...address, 0xfd, 0x00, 0, offset];
export const storeVector = (address: Code, value: Code): Code => [...address, ...value, 0xfd, 0x0b, 0, 0];
export const allBytes = (byte: number): Code => [0xfd, 0x0c, ...Array.from({ length: 16 }, () => byte)];
export const equalBytes = vector(0x23);
export const atMostBytes = vector(0x2a);
export const orVector = vector(0x50);
export const xorVector = vector(0x51);
export const subBytes = vector(0x71);
/** A bit for each byte: whether its highest is set. */
export const highBits = vector(0x64);
export const anyBit = vector(0x53);
/** Of sixteen numbers eight, of eight four: each two beside each other added. */
const pairsOfBytes = vector(0x7d);
const pairsOfShorts = vector(0x7f);
const quarter = (value: Code, index: number): Code => [...value, 0xfd, 0x1b, index];
/** Of all bytes in that local, which is then spoilt. */
export const sumOfBytes = (index: number): Code => [
  ...set(index, pairsOfShorts(pairsOfBytes(local(index)))),
  ...add(
    add(quarter(local(index), 0), quarter(local(index), 1)),
    add(quarter(local(index), 2), quarter(local(index), 3)),
  ),
];

/** Ends with its last instruction; `leave(0)` within it leaves it. */
export const block = (...body: Code[]): Code => [0x02, EMPTY, ...body.flat(), 0x0b];
/** Ends with its last instruction; `again(0)` within it starts it again. */
export const loop = (...body: Code[]): Code => [0x03, EMPTY, ...body.flat(), 0x0b];
export const when = (condition: Code, ...body: Code[]): Code => [...condition, 0x04, EMPTY, ...body.flat(), 0x0b];
/** Of the blocks, loops and conditions around it, 0 is the innermost. */
export const leave = (depth: number): Code => [0x0c, depth];
export const again = leave;
export const leaveIf = (depth: number, condition: Code): Code => [...condition, 0x0d, depth];
export const againIf = leaveIf;

/** Parameters and result are 32-bit numbers, and so are `words`; behind them stand locals of 64 bits, and of 128. */
export type Routine = {
  readonly parameters: number;
  readonly words: number;
  readonly longs: number;
  readonly vectors: number;
  readonly body: Code;
};

/** A module that exports its memory, as `memory`, and its functions. */
export function moduleOf(pages: number, functions: Readonly<Record<string, Routine>>): Uint8Array<ArrayBuffer> {
  const all = Object.entries(functions);
  const types = all.map(([, { parameters }]) => [
    0x60,
    ...list(Array.from({ length: parameters }, () => [I32])),
    1,
    I32,
  ]);
  const exported = all.map(([name], index) => [...text(name), 0, index]);
  const bodies = all.map(([, { words, longs, vectors, body }]) => {
    const locals = [[words, I32], [longs, I64], ...(vectors === 0 ? [] : [[vectors, V128]])];
    return sized([...list(locals), ...body, 0x0b]);
  });
  return new Uint8Array([
    ...MAGIC_AND_VERSION,
    ...section(1, list(types)),
    ...section(3, list(all.map((_, index) => [index]))),
    ...section(5, list([[0, ...unsigned(pages)]])),
    ...section(7, list([...exported, [...text("memory"), 2, 0]])),
    ...section(10, list(bodies)),
  ]);
}

function section(id: number, content: Code): Code {
  return [id, ...sized(content)];
}

function list(items: readonly Code[]): Code {
  return [...unsigned(items.length), ...items.flat()];
}

function sized(content: Code): Code {
  return [...unsigned(content.length), ...content];
}

function text(name: string): Code {
  return sized([...Buffer.from(name)]);
}

// LEB128, as WebAssembly writes all its numbers.
function unsigned(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...unsigned(value >>> 7)];
}

function signed(value: bigint): number[] {
  const low = Number(value & 0x7fn);
  const rest = value >> 7n;
  const isLast = (rest === 0n && (low & 0x40) === 0) || (rest === -1n && (low & 0x40) !== 0);
  return isLast ? [low] : [low | 0x80, ...signed(rest)];
}
