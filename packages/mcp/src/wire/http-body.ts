// A body as text, never longer than allowed.

export type Body = { ok: true; text: string } | { ok: false; status: 400 | 413; problem: string };

export async function readBody(request: Request, maxBytes: number): Promise<Body> {
  const declared = request.headers.get("content-length");
  if (declared !== null && Number(declared) > maxBytes) return tooLarge(maxBytes);
  // With a declared and allowed length the platform reads no more than that.
  if (declared !== null) return decode(await request.arrayBuffer());
  return readCounted(request, maxBytes);
}

/** Counts what really comes: a response may be compressed, and its declared length that of the compressed form. */
export async function readCounted(request: Request | Response, maxBytes: number): Promise<Body> {
  const pieces: Uint8Array[] = [];
  let total = 0;
  for await (const piece of request.body ?? []) {
    total += piece.length;
    if (total > maxBytes) return tooLarge(maxBytes);
    pieces.push(piece);
  }
  return decode(Buffer.concat(pieces));
}

function decode(bytes: ArrayBuffer | Uint8Array): Body {
  try {
    return { ok: true, text: new TextDecoder("utf-8", { fatal: true }).decode(bytes) };
  } catch {
    return { ok: false, status: 400, problem: "the body is not valid UTF-8" };
  }
}

function tooLarge(maxBytes: number): Body {
  return { ok: false, status: 413, problem: `the body is over the limit of ${maxBytes} bytes` };
}
