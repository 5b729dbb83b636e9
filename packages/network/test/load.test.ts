// What must not bring the server down: floods, slow readers, many connections, a gate that dies, a server that dies.
import net from "node:net";
import path from "node:path";
import { describe, expect, test } from "bun:test";
import { TestNetwork, missing, upstream } from "./harness.ts";

const MB = 1024 * 1024;

describe.skipIf(missing !== undefined)(`under load ${missing ?? ""}`, () => {
  test("of 300 connections at once 256 are taken, and the rest refused by name", async () => {
    const sockets = new Set<net.Socket>();
    await using quiet = await listener((socket) => void sockets.add(socket));
    await using network = new TestNetwork({ allow: [`a.test:80=127.0.0.1:${quiet.port}`] });
    const ran = await network.run(`python3 - <<'END'
import socket as s
at = s.gethostbyname("a.test")
open = [s.create_connection((at, 80)) for _ in range(300)]
cut = 0
for c in open:
    c.settimeout(0.01)
    try: cut += c.recv(1) == b""
    except ConnectionResetError: cut += 1
    except TimeoutError: pass
print(cut)
END`);
    expect(Number(ran.out)).toBe(44);
    expect(sockets.size).toBe(256);
    expect(ran.lines).toEqual(["[network] refused: a.test:80 (too many connections at once)"]);
    for (const socket of sockets) socket.destroy();
  });

  test("10,000 questions for names: answered or dropped, and the session goes on", async () => {
    using a = upstream("hello");
    await using network = new TestNetwork({ allow: [`a.test:80=127.0.0.1:${a.port}`], unknownHosts: "deny" });
    await network.run("true");
    const before = process.memoryUsage.rss();
    await network.run(`python3 - <<'END'
import socket as s
u = s.socket(s.AF_INET, s.SOCK_DGRAM)
for n in range(10000):
    name = b"n%d" % n
    u.sendto(bytes.fromhex("123401000001000000000000") + bytes([len(name)]) + name + b"\\4test\\0\\0\\1\\0\\1", ("127.0.0.1", 53))
    u.sendto(b"garbage" * (n % 9), ("127.0.0.1", 53))
END`);
    const ran = await network.run("curl -sS --retry 5 --retry-all-errors --retry-delay 1 http://a.test/");
    expect(ran.out).toBe("hello");
    expect(network.events.length).toBeLessThan(2000);
    expect(process.memoryUsage.rss() - before).toBeLessThan(64 * MB);
  });

  test("a flood to a slow reader is held back, not kept in memory", async () => {
    const chunk = Buffer.alloc(MB, "x");
    let sent = 0;
    await using flood = await listener((socket) => {
      const write = (): void => {
        while (sent < 1024 * MB && !socket.destroyed) {
          sent += chunk.length;
          if (!socket.write(chunk)) return void socket.once("drain", write);
        }
      };
      write();
    });
    await using network = new TestNetwork({ allow: [`a.test:80=127.0.0.1:${flood.port}`] });
    await network.run("true");
    const before = process.memoryUsage.rss();
    const ran = await network.run(`python3 - <<'END'
import socket as s, time
c = s.create_connection(("a.test", 80))
for n in range(40): c.recv(1000); time.sleep(0.02)
END`);
    expect(ran.code).toBe(0);
    expect(sent).toBeLessThan(64 * MB);
    expect(process.memoryUsage.rss() - before).toBeLessThan(64 * MB);
  });

  test("200 MB come through whole, both ways", async () => {
    let up = 0;
    await using echo = await listener((socket) => {
      socket.on("data", (bytes) => (up += bytes.length));
      socket.on("end", () => socket.end(Buffer.alloc(100 * MB, "y")));
    });
    await using network = new TestNetwork({ allow: [`a.test:80=127.0.0.1:${echo.port}`] });
    const ran = await network.run(`python3 - <<'END'
import socket as s
c = s.create_connection(("a.test", 80))
for n in range(100): c.sendall(b"x" * 1048576)
c.shutdown(s.SHUT_WR)
got = 0
while True:
    b = c.recv(1 << 20)
    if not b: break
    got += len(b)
print(got)
END`);
    expect({ out: Number(ran.out), up }).toEqual({ out: 100 * MB, up: 100 * MB });
    expect(await network.seen(({ kind }) => kind === "contact-end")).toMatchObject({ up: 100 * MB, down: 100 * MB });
  });

  test("an upstream that stalls, resets or is not there costs its connection alone", async () => {
    using a = upstream("hello");
    await using reset = await listener((socket) => socket.resetAndDestroy());
    await using quiet = await listener(() => undefined);
    const gone = await listener(() => undefined);
    const nobody = gone.port;
    await gone[Symbol.asyncDispose]();
    await using network = new TestNetwork({
      allow: [
        ["a", a.port],
        ["reset", reset.port],
        ["quiet", quiet.port],
        ["gone", nobody],
      ].map(([name, port]) => `${name}.test:80=127.0.0.1:${port}`),
      limits: { idleMs: 300 },
    });
    const ran = await network.run(
      "for n in reset quiet gone a; do curl -sS --max-time 20 http://$n.test/ || echo $n; done",
    );
    expect(ran.out).toBe("reset\nquiet\ngone\nhello");
    expect(ran.lines).toEqual(["[network] failed: gone.test:80 (nothing listens there)"]);
  });

  test("connections of a call that is over are cut", async () => {
    const [taken, closed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    await using quiet = await listener((socket) => {
      taken.resolve();
      socket.resume().on("end", closed.resolve);
    });
    await using network = new TestNetwork({
      allow: [`a.test:80=127.0.0.1:${quiet.port}`],
      limits: { cutAfterCallMs: 1 },
    });
    network.session.begin("call");
    const child = await network.spawn(network.session, "exec 3<>/dev/tcp/a.test/80; sleep 60");
    await taken.promise;
    network.session.end("call");
    await closed.promise;
    expect(await network.seen(({ kind }) => kind === "contact-end")).toMatchObject({ why: "call over" });
    child.kill();
    await child.exited;
  });

  test("when the gate is killed its connections end, and the next command has another one", async () => {
    const taken = Promise.withResolvers<void>();
    await using quiet = await listener(() => taken.resolve());
    using a = upstream("hello");
    await using network = new TestNetwork({
      allow: [`quiet.test:80=127.0.0.1:${quiet.port}`, `a.test:80=127.0.0.1:${a.port}`],
    });
    const { prefix, state } = await network.session.commandNetwork();
    const cut = network.run("curl -sS http://quiet.test/");
    await taken.promise;
    process.kill(pidOf(prefix), "SIGKILL");
    expect((await cut).code).not.toBe(0);
    const ran = await network.run("curl -sS http://a.test/");
    expect(ran.out).toBe("hello");
    expect(network.session.state).not.toBe(state);
  });

  test("a gate that cannot start says why, and no command runs", async () => {
    await using network = new TestNetwork({ limits: { gateStartMs: 1 } });
    await expect(network.session.commandNetwork()).rejects.toThrow(
      /^the network gate did not start: it was not ready in/,
    );
  });

  test("when the server is killed, its gate ends", async () => {
    const server = Bun.spawn(
      [process.execPath, "--no-env-file", "--config=/dev/null", path.join(import.meta.dir, "serve-until-killed.ts")],
      { stdin: "ignore", stdout: "pipe", stderr: "inherit", env: process.env, lazy: true },
    );
    const { value } = await server.stdout.getReader().read();
    const pid = Number(new TextDecoder().decode(value));
    expect(isThere(pid)).toBe(true);
    server.kill("SIGKILL");
    await server.exited;
    // Its parent's death is a signal to it: there is nothing of ours to wait for.
    while (isThere(pid)) await Bun.sleep(10);
  });
});

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    // No such process.
    return false;
  }
}

/** Of the gate, as the prefix of commands names it. */
function pidOf(prefix: readonly string[]): number {
  return Number(/\d+/.exec(prefix.find((word) => /^(--net=\/proc\/)?\d+/.test(word)) ?? "")?.[0]);
}

async function listener(onConnection: (socket: net.Socket) => void) {
  const sockets = new Set<net.Socket>();
  const server = net.createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    onConnection(socket);
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as net.AddressInfo).port,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => void server.close(() => resolve()));
    },
  };
}
