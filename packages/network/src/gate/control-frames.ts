// What passes between the gate and the server over their one control connection: frames of u16 length, u16 tag and bytes.
// Tag 0 is a line of text (a command, or what became of it); any other stands for one DNS question and its answer.

export const TEXT_TAG = 0;
const HEAD_BYTES = 4;

export type Frame = { readonly tag: number; readonly bytes: Uint8Array };

export function frame(tag: number, bytes: Uint8Array): Uint8Array {
  const whole = new Uint8Array(HEAD_BYTES + bytes.length);
  const view = new DataView(whole.buffer);
  view.setUint16(0, bytes.length);
  view.setUint16(2, tag);
  whole.set(bytes, HEAD_BYTES);
  return whole;
}

export function textFrame(text: string): Uint8Array {
  return frame(TEXT_TAG, new TextEncoder().encode(text));
}

/** Chunks as they come → whole frames. Holds at most one frame and one chunk. */
export class FrameReader {
  #rest: Uint8Array = new Uint8Array(0);

  *read(chunk: Uint8Array): Generator<Frame> {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    let at = 0;
    while (bytes.length - at >= HEAD_BYTES) {
      const end = at + HEAD_BYTES + view.getUint16(at);
      if (end > bytes.length) break;
      yield { tag: view.getUint16(at + 2), bytes: bytes.subarray(at + HEAD_BYTES, end) };
      at = end;
    }
    this.#rest = bytes.slice(at);
  }
}
