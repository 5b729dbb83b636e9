// A body as text, never longer than allowed.
import type { SharedBudget } from "./shared-budget.ts";

export type Body = { ok: true; text: string } | { ok: false; status: 400 | 413 | 503; problem: string };

/** Bodies below this are not worth counting: connections limit their number. */
const SMALL_BYTES = 64 * 1024;

/** `receiving`: what all bodies that are on their way may hold together. */
export async function readBody(request: Request, maxBytes: number, receiving?: SharedBudget): Promise<Body> {
  const header = request.headers.get("content-length");
  const declared = header === null ? undefined : Number(header);
  if (declared !== undefined && declared > maxBytes) return tooLarge(maxBytes);
  // With a declared and allowed length the platform reads no more than that.
  if (declared !== undefined && declared <= SMALL_BYTES) return decode(await request.arrayBuffer());
  return readCounted(request, maxBytes, receiving);
}

/** Counts what really comes: a response may be compressed, and its declared length that of the compressed form. */
export async function readCounted(
  request: Request | Response,
  maxBytes: number,
  receiving?: SharedBudget,
): Promise<Body> {
  const pieces: Uint8Array[] = [];
  let total = 0;
  let taken = 0;
  try {
    for await (const piece of request.body ?? []) {
      total += piece.length;
      if (total > maxBytes) return tooLarge(maxBytes);
      if (receiving?.take(piece.length) === false) return tooMuchAtOnce();
      taken += piece.length;
      pieces.push(piece);
    }
    return decode(Buffer.concat(pieces));
  } finally {
    receiving?.giveBack(taken);
  }
}

function decode(bytes: ArrayBuffer | Uint8Array): Body {
  try {
    return { ok: true, text: new TextDecoder("utf-8", { fatal: true }).decode(bytes) };
  } catch {
    // the decoder throws on bytes that are no UTF-8
    return { ok: false, status: 400, problem: "the body is not valid UTF-8" };
  }
}

function tooLarge(maxBytes: number): Body {
  return { ok: false, status: 413, problem: `the body is over the limit of ${maxBytes} bytes` };
}

function tooMuchAtOnce(): Body {
  return { ok: false, status: 503, problem: "the bodies that are being received hold too much: try again later" };
}
