// As much of Bun.serve and Bun.sleep as the tests' own loopback servers use, over node:http: those tests are about code that
// touches no runtime, and only the peer it speaks to does.
import { createServer } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { inspect } from "node:util";
import { gzipSync } from "node:zlib";

// Node gives the port of a server only later; a handle that is bound already has one at once.
const { TCP, constants } = process.binding("tcp_wrap");

globalThis.Bun = { serve, sleep, inspect, gzipSync };

function serve({ hostname, fetch }) {
  const handle = new TCP(constants.SERVER);
  const place = {};
  if (handle.bind(hostname, 0) !== 0 || handle.getsockname(place) !== 0) throw new Error("no free port");
  const server = createServer((incoming, outgoing) => {
    void answer(incoming, outgoing).catch((error) => outgoing.destroy(error));
  });
  server.listen(handle);
  return { port: place.port, stop: () => stop(server) };

  async function answer(incoming, outgoing) {
    const hasBody = incoming.method !== "GET" && incoming.method !== "HEAD";
    const request = new Request(`http://${incoming.headers.host}${incoming.url}`, {
      method: incoming.method,
      headers: Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]),
      ...(hasBody ? { body: Readable.toWeb(incoming), duplex: "half" } : {}),
    });
    const response = await fetch(request);
    outgoing.writeHead(response.status, [...response.headers].flat());
    if (response.body === null) outgoing.end();
    else await pipeline(Readable.fromWeb(response.body), outgoing).catch(() => {}); // whoever asked may have left
  }
}

function stop(server) {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(resolve));
}
