// Requests per second of an HTTP endpoint: a few keep-alive connections, each with one request in flight, over plain
// sockets so that the measuring side costs little.

export type Load = { perSecond: number; p50: number; p99: number };

export async function httpLoad(
  url: URL,
  headers: Record<string, string>,
  body: string,
  seconds: number,
): Promise<Load> {
  const head = Object.entries({ host: url.host, "content-length": String(Buffer.byteLength(body)), ...headers });
  const request = `POST ${url.pathname} HTTP/1.1\r\n${head.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n${body}`;
  const latencies: number[] = [];
  const end = performance.now() + seconds * 1000;
  const started = performance.now();
  await Promise.all(Array.from({ length: 32 }, () => connection(url, request, end, latencies)));
  const elapsed = (performance.now() - started) / 1000;
  latencies.sort((a, b) => a - b);
  const at = (share: number): number => latencies[Math.floor(latencies.length * share)] ?? Number.NaN;
  return { perSecond: latencies.length / elapsed, p50: at(0.5), p99: at(0.99) };
}

function connection(url: URL, request: string, end: number, latencies: number[]): Promise<void> {
  return new Promise((resolve, reject) => {
    let sent = 0;
    let held = "";
    const next = (socket: Bun.Socket): void => {
      if (performance.now() > end) {
        socket.end();
        return resolve();
      }
      sent = performance.now();
      socket.write(request);
    };
    void Bun.connect({
      hostname: url.hostname,
      port: Number(url.port),
      socket: {
        open: next,
        data(socket, chunk) {
          held += chunk.toString("latin1");
          if (!isComplete(held)) return;
          if (!held.startsWith("HTTP/1.1 200")) return reject(new Error(held.slice(0, 400)));
          held = "";
          latencies.push(performance.now() - sent);
          next(socket);
        },
        close: () => resolve(),
        error: (_, error) => reject(error),
      },
    });
  });
}

/** A response with a declared length, or in chunks. */
function isComplete(text: string): boolean {
  const bodyAt = text.indexOf("\r\n\r\n") + 4;
  if (bodyAt < 4) return false;
  const length = /\r\ncontent-length: (\d+)\r\n/i.exec(text.slice(0, bodyAt))?.[1];
  return length === undefined ? text.endsWith("\r\n0\r\n\r\n") : text.length - bodyAt >= Number(length);
}
