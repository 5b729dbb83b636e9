// The one kind of DNS message that commands need: a question for a name, and the answer to it (RFC 1035). What is odd is
// no question: nothing here guesses.

export type DnsQuestion = {
  readonly id: number;
  /** Undefined for a name that is not written in plain letters: it does not exist. */
  readonly name: string | undefined;
  readonly type: number;
  readonly isInternet: boolean;
  /** As asked, to be repeated in the answer: some resolvers compare its letters. */
  readonly section: Uint8Array;
  readonly wantsRecursion: boolean;
};

export type DnsAnswer =
  | { readonly kind: "address"; readonly address: string; readonly ttlSeconds: number }
  | { readonly kind: "no-record" }
  | { readonly kind: "no-such-name" };

export const TYPE_A = 1;
const CLASS_IN = 1;
const HEADER_BYTES = 12;
const MAX_NAME_BYTES = 255;

/** Undefined for what is no question at all, and gets no answer. */
export function readDnsQuestion(message: Uint8Array, maxBytes: number): DnsQuestion | undefined {
  if (message.length < HEADER_BYTES + 5 || message.length > maxBytes) return undefined;
  const at = (offset: number): number => ((message[offset] ?? 0) << 8) | (message[offset + 1] ?? 0);
  const flags = at(2);
  const [isAnswer, operation, isCut] = [(flags & 0x8000) !== 0, (flags >> 11) & 15, (flags & 0x0200) !== 0];
  if (isAnswer || operation !== 0 || isCut || at(4) !== 1 || at(6) !== 0 || at(8) !== 0) return undefined;
  const name = readName(message, HEADER_BYTES);
  if (name === undefined || name.end + 4 > message.length) return undefined;
  return {
    id: at(0),
    name: name.text,
    type: at(name.end),
    isInternet: at(name.end + 2) === CLASS_IN,
    section: message.slice(HEADER_BYTES, name.end + 4),
    wantsRecursion: (flags & 0x0100) !== 0,
  };
}

/** A name of a question has no pointers: there is nothing before it to point at. */
function readName(message: Uint8Array, start: number): { text: string | undefined; end: number } | undefined {
  const labels: string[] = [];
  let isPlain = true;
  let at = start;
  for (;;) {
    const length = message[at];
    if (length === undefined || length > 63 || at - start > MAX_NAME_BYTES) return undefined;
    at += 1;
    if (length === 0) break;
    if (at + length > message.length) return undefined;
    const label = message.subarray(at, at + length);
    // A dot inside a label, a zero byte, a blank: one who reads it as text would read another name.
    if (!label.every(isNameByte)) isPlain = false;
    labels.push(String.fromCharCode(...label));
    at += length;
  }
  return { text: isPlain && labels.length > 0 ? labels.join(".").toLowerCase() : undefined, end: at };
}

function isNameByte(byte: number): boolean {
  const isLetter = (byte >= 0x61 && byte <= 0x7a) || (byte >= 0x41 && byte <= 0x5a);
  return isLetter || (byte >= 0x30 && byte <= 0x39) || byte === 0x2d || byte === 0x5f;
}

export function writeDnsAnswer(question: DnsQuestion, answer: DnsAnswer): Uint8Array {
  const record = answer.kind === "address" ? addressRecord(answer.address, answer.ttlSeconds) : new Uint8Array(0);
  const message = new Uint8Array(HEADER_BYTES + question.section.length + record.length);
  const view = new DataView(message.buffer);
  view.setUint16(0, question.id);
  const noSuchName = answer.kind === "no-such-name" ? 3 : 0;
  // An answer, with recursion available.
  view.setUint16(2, 0x8080 | (question.wantsRecursion ? 0x0100 : 0) | noSuchName);
  view.setUint16(4, 1);
  view.setUint16(6, answer.kind === "address" ? 1 : 0);
  message.set(question.section, HEADER_BYTES);
  message.set(record, HEADER_BYTES + question.section.length);
  return message;
}

function addressRecord(address: string, ttlSeconds: number): Uint8Array {
  const record = new Uint8Array(16);
  const view = new DataView(record.buffer);
  view.setUint16(0, 0xc000 | HEADER_BYTES); // the name of the question
  view.setUint16(2, TYPE_A);
  view.setUint16(4, CLASS_IN);
  view.setUint32(6, ttlSeconds);
  view.setUint16(10, 4);
  record.set(address.split(".").map(Number), 12);
  return record;
}
