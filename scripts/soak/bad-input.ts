// Input that no client should send. Over stdio each line below is answered with exactly one error without an id; over
// HTTP each request gets a status of its own, and half of one gets nothing.
import type { Endpoint } from "./http-peer.ts";
import { note } from "./ledger.ts";
import type { Tally } from "./ledger.ts";
import type { Random } from "./random.ts";

/** Just above what one message may be. */
const TOO_LARGE_BYTES = 17 * 1024 * 1024;

export function badLine(random: Random): Uint8Array {
  const encode = (text: string): Uint8Array => new TextEncoder().encode(`${text}\n`);
  return random.pick([
    () => encode("{"),
    () => encode("[]"),
    () => encode('"text"'),
    () => encode('{"jsonrpc":"2.0","id":null,"method":"ping"}'),
    () => encode('{"jsonrpc":"2.0","id":{},"method":"ping"}'),
    () => encode(`{"x":${"[".repeat(100_000)}`),
    () => encode(random.word().repeat(50_000)),
    () => Uint8Array.from([0xff, 0xfe, 0x80, 0x0a]),
    () => (random.chance(0.1) ? encode("x".repeat(TOO_LARGE_BYTES)) : encode("}")),
  ])();
}

/** Each with the statuses that are right for it. */
const BAD_REQUESTS: readonly [string, RequestInit, readonly number[]][] = [
  ["not JSON", { method: "POST", body: "{" }, [400]],
  ["no message", { method: "POST", body: "7" }, [400]],
  ["far too large", { method: "POST", body: "x".repeat(24 * 1024 * 1024) }, [400, 413]],
  ["no such verb", { method: "PUT", body: "{}" }, [404, 405]],
  ["a session that never was", { method: "GET", headers: { "mcp-session-id": "never" } }, [400, 404, 405]],
];

export async function badRequest(endpoint: Endpoint, random: Random, tally: Tally): Promise<void> {
  const [name, request, right] = BAD_REQUESTS[random.between(0, BAD_REQUESTS.length - 1)] ?? [];
  if (name === undefined || request === undefined) return;
  tally.nonsense++;
  const headers = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    ...(endpoint.token === undefined ? {} : { authorization: `Bearer ${endpoint.token}` }),
    ...(request.headers as Record<string, string> | undefined),
  };
  try {
    const response = await fetch(endpoint.url, { ...request, headers });
    await response.arrayBuffer();
    tally.nonsenseAnswered++;
    if (!right?.includes(response.status)) note(tally.wrong, `HTTP, ${name}: status ${response.status}`);
  } catch (error) {
    // A server may hang up on a body that is far too large before it was sent: also an answer.
    if (name === "far too large") tally.nonsenseAnswered++;
    else note(tally.wrong, `HTTP, ${name}: ${String(error)}`);
  }
}

/** A stranger without the token, or from another site. */
export async function stranger(endpoint: Endpoint, random: Random, tally: Tally): Promise<void> {
  const foreign = { host: "evil.example", origin: "http://evil.example" };
  const headers = {
    "content-type": "application/json",
    ...(random.chance(0.5) ? foreign : { origin: foreign.origin }),
  };
  const response = await fetch(endpoint.url, { method: "POST", headers, body: "{}" });
  await response.arrayBuffer();
  if (response.status !== 401 && response.status !== 403) note(tally.wrong, `a stranger got ${response.status}`);
}

/** Half a request, then the line goes dead. */
export async function halfARequest(endpoint: Endpoint, random: Random): Promise<void> {
  const { hostname, port, pathname, host } = new URL(endpoint.url);
  const socket = await Bun.connect({ hostname, port: Number(port), socket: { data: () => undefined } });
  const token = endpoint.token === undefined ? "" : `authorization: Bearer ${endpoint.token}\r\n`;
  const head = `POST ${pathname} HTTP/1.1\r\nhost: ${host}\r\n${token}content-type: application/json\r\n`;
  socket.write(random.chance(0.5) ? head : `${head}content-length: 1000\r\n\r\n{"jsonrpc":"2.0",`);
  await Bun.sleep(random.between(0, 50));
  socket.terminate();
}
