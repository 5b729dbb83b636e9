// ClientHellos as clients write them, by hand.

export function clientHello(names: readonly string[], recordBytes = 16_000): Uint8Array {
  const extensions = names.flatMap((name) => {
    const bytes = [...Buffer.from(name)];
    return [0, 0, ...u16(bytes.length + 5), ...u16(bytes.length + 3), 0, ...u16(bytes.length), ...bytes];
  });
  const other = [0, 43, 0, 3, 2, 3, 4];
  const all = [...other, ...extensions];
  const body = [3, 3, ...Array<number>(32).fill(7), 0, ...u16(2), 0x13, 1, 1, 0, ...u16(all.length), ...all];
  const handshake = [1, 0, ...u16(body.length), ...body];
  const records: number[] = [];
  for (let at = 0; at < handshake.length; at += recordBytes) {
    const part = handshake.slice(at, at + recordBytes);
    records.push(0x16, 3, 1, ...u16(part.length), ...part);
  }
  return Uint8Array.from(records);
}

function u16(value: number): [number, number] {
  return [value >> 8, value & 255];
}
