// Every way around the rules that we know of, tried by real programs: nothing arrives where it should not.
import dgram from "node:dgram";
import net from "node:net";
import { networkInterfaces } from "node:os";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { TestNetwork, missing, upstream } from "./harness.ts";
import { clientHello } from "./wire/hello.ts";

/** Of this machine, listening on all its addresses: nobody in a sandbox may reach it. */
class Canary {
  readonly seen: string[] = [];
  readonly #tcp = net.createServer((socket) => {
    socket.on("error", () => undefined);
    this.seen.push("tcp");
    socket.end("HTTP/1.0 200 OK\r\n\r\nCANARY");
  });
  readonly #udp = dgram.createSocket("udp4");
  port = 0;

  async open(): Promise<void> {
    await new Promise<void>((resolve) => void this.#tcp.listen(0, "0.0.0.0", resolve));
    this.port = (this.#tcp.address() as net.AddressInfo).port;
    this.#udp.on("message", () => this.seen.push("udp"));
    await new Promise<void>((resolve) => void this.#udp.bind(this.port, "0.0.0.0", () => resolve()));
  }

  close(): void {
    this.#tcp.close();
    this.#udp.close();
  }
}

const LAN =
  Object.values(networkInterfaces())
    .flatMap((list) => list ?? [])
    .find(({ family, internal }) => family === "IPv4" && !internal)?.address ?? "192.168.1.1";

const ADDRESSES: Readonly<Record<string, readonly string[]>> = {
  "loop.test": ["127.0.0.1"],
  "zero.test": ["0.0.0.0"],
  "ten.test": ["10.0.0.1"],
  "meta.test": ["169.254.169.254"],
  "ula.test": ["fd00::1"],
  "mapped.test": ["::ffff:127.0.0.1"],
  "nat64.test": ["64:ff9b::7f00:1"],
  "sixtofour.test": ["2002:7f00:1::"],
  "six.test": ["::1"],
  "mixed.test": ["3fff::1", "127.0.0.1"],
  "own.test": [LAN],
  "cname.test": ["127.0.0.1"], // where a chain of other names ends
};

const curl = (url: string, more = ""): string => `curl -sS --max-time 3 ${more} '${url}'`;
const python = (text: string): string => `python3 - <<'END'\nimport socket as s\n${text}\nEND`;
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");
const packet = (name: string): string =>
  python(`u = s.socket(s.AF_INET, s.SOCK_DGRAM); u.settimeout(0.5)
u.sendto(bytes.fromhex("123401000001000000000000") + ${name} + b"\\0\\0\\1\\0\\1", ("127.0.0.1", 53))
try: answer = u.recv(600); print(answer[3] & 15)
except TimeoutError: print("none")`);

/** In words of a shell; C stands for the canary's port, L for an address of this machine. What it prints may be checked. */
const TRIES: readonly (readonly [what: string, text: string, out?: RegExp])[] = [
  ["this machine's loopback", curl("http://127.0.0.1:C/")],
  ["another loopback address", curl("http://127.0.0.2:C/")],
  ["an address of this machine", curl("http://L:C/")],
  ["the metadata address", curl("http://169.254.169.254/latest/")],
  ["IPv6 loopback", curl("http://[::1]:C/")],
  ["IPv4 in IPv6", curl("http://[::ffff:127.0.0.1]:C/")],
  ["an address of this machine in IPv6", curl("http://[::ffff:L]:C/")],
  ["the address of nobody", curl("http://0.0.0.0:C/")],
  ["an address as one number", curl("http://2130706433:C/")],
  ["an address in hexadecimal", curl("http://0x7f.1:C/")],
  ["an address in octal", curl("http://0177.0.0.1:C/")],
  ["a short address", curl("http://127.1:C/")],
  ["localhost", curl("http://localhost:C/")],
  ["a name below localhost", curl("http://x.localhost:C/")],
  ["this machine's own name", curl("http://$(hostname):C/")],
  ["a public address", curl("http://1.1.1.1/")],
  ["a public IPv6 address", curl("http://[2606:4700::1111]/")],
  ...Object.keys(ADDRESSES).map(
    (name) => [`an allowed name that is ${ADDRESSES[name]?.join()}`, curl(`http://${name}:C/`)] as const,
  ),
  ["a name that changes after the check", `${curl("http://rebind.test:C/")}; ${curl("http://rebind.test:C/")}`],
  ["curl told where the name is", curl("http://allowed.test:C/", "--resolve allowed.test:C:127.0.0.1")],
  ["another port of an allowed name", curl("http://allowed.test:443/")],
  ["a name that ends like an allowed one", curl("http://xallowed.test/")],
  ["a name before an allowed one", curl("http://x.allowed.test/")],
  ["an allowed name before another", curl("http://allowed.test.evil.example/")],
  ["a denied name", curl("http://denied.test:C/")],
  ["a name with a zero byte in it", packet(`b"\\x09evil.com\\0\\7allowed\\4test"`), /^(3|none)$/],
  ["a name with a dot in a label", packet(`b"\\x0cevil.com.all\\4test"`), /^3$/],
  ["a label of 64 bytes", packet(`b"\\x40" + b"a" * 64 + b"\\4test"`), /^none$/],
  ["a name of 300 bytes", packet(`(b"\\x1e" + b"a" * 30) * 10`), /^none$/],
  ["a name with a blank", packet(`b"\\7a b.tes\\4test"`), /^3$/],
  ["a name with %00", packet(`b"\\7a%00all\\4test"`), /^3$/],
  ["a name with @", packet(`b"\\7x@allow\\4test"`), /^3$/],
  ["a pointer loop", packet(`b"\\xc0\\x0c"`), /^none$/],
  ["an empty label", packet(`b"\\7allowed\\0\\4test"`), /^(3|none)$/],
  ["a name server of the internet", "dig +time=1 +tries=1 @8.8.8.8 a.test"],
  ["DNS over TCP", "dig +tcp +time=1 +tries=1 @127.0.0.1 secret.evil.example"],
  [
    "data in a TXT question",
    "dig +time=1 +tries=1 TXT $(head -c 30 /dev/urandom | od -An -tx1 | tr -d ' \\n').allowed.test",
  ],
  ["another loopback name server", "dig +time=1 +tries=1 @127.0.0.53 evil.example"],
  [
    "UDP to this machine",
    python(`u = s.socket(s.AF_INET, s.SOCK_DGRAM); u.sendto(b"x", ("127.0.0.1", C)); u.sendto(b"x", ("L", C))`),
  ],
  ["UDP to an allowed name", python(`u = s.socket(s.AF_INET, s.SOCK_DGRAM); u.sendto(b"x", ("allowed.test", C))`)],
  ["a ping", python(`s.socket(s.AF_INET, s.SOCK_RAW, 1).sendto(b"x", ("L", 0))`)],
  ["a packet socket", python(`s.socket(s.AF_PACKET, s.SOCK_RAW)`)],
  ["vsock", python(`v = s.socket(s.AF_VSOCK, s.SOCK_STREAM); v.settimeout(1); v.connect((2, C))`)],
  ["a route of its own", "ip route add default dev lo; ip addr add L/32 dev lo; ip link add x type dummy"],
  ["the first process's network", "nsenter --net=/proc/1/ns/net true && curl -sS --max-time 2 http://L:C/"],
  ["a network namespace of its own", `unshare -rn sh -c '${curl("http://L:C/").replaceAll("'", '"')}'`],
  ["another program's network", `for n in /proc/[0-9]*/ns/net; do nsenter --net=$n ${curl("http://L:C/")}; done`],
  ["the gate's socket", "ls -A ROOT/gates", /^$/],
  ["the gate's process", "grep -l gate-[m]ain /proc/[0-9]*/cmdline", /^$/],
  [
    "the gate's port for names",
    python(`u = s.socket(s.AF_INET, s.SOCK_DGRAM)\nu.bind(("127.0.0.1", 53)); print("bound")`),
    /^$/,
  ],
  [
    "a port of the gate",
    python(`u = s.socket()\nu.setsockopt(s.SOL_SOCKET, s.SO_REUSEPORT, 1); u.bind(("0.0.0.0", 443)); print("bound")`),
    /^$/,
  ],
  ["a port of the gate on one address", python(`u = s.socket()\nu.bind(("127.64.0.1", 80)); print("bound")`), /^$/],
  ["words for the gate at its own port", `printf 'control\\n' | timeout 2 bash -c 'cat > /dev/tcp/127.0.0.1/443'`],
  [
    "words for the server before a request",
    `exec 3<>/dev/tcp/allowed.test/80; printf '127.64.0.9 C 7\\n' >&3; head -c1 <&3`,
  ],
  ["an allowed host as a proxy", curl("http://L:C/", "-x http://allowed.test:80")],
  ["an allowed host as a CONNECT proxy", curl("https://L:C/", "-k -x http://allowed.test:80")],
  ["an allowed host as a SOCKS proxy", curl("http://L:C/", "--socks5-hostname allowed.test:80")],
  ["another Host header", curl("http://allowed.test/", "-H 'Host: L:C'")],
  ["a redirect", curl("http://allowed.test/redirect", "-L")],
  ["another name inside TLS", tlsTry(clientHello(["evil.example"]))],
  ["another name inside TLS, byte by byte", tlsTry(clientHello(["evil.example"]), 1)],
  ["another name inside TLS, over many records", tlsTry(clientHello(["evil.example"], 3))],
  ["two names inside TLS", tlsTry(clientHello(["tls.test", "evil.example"]))],
  ["a TLS hello that is cut short", tlsTry(clientHello(["evil.example"]).subarray(0, 60))],
];

function tlsTry(hello: Uint8Array, step = 10_000): string {
  return python(`import time
c = s.create_connection(("tls.test", 443), 3); c.setsockopt(s.IPPROTO_TCP, s.TCP_NODELAY, 1)
b = bytes.fromhex("${hex(hello)}")
for at in range(0, len(b), ${step}): c.sendall(b[at:at+${step}])
c.shutdown(s.SHUT_WR)
c.recv(1)`);
}

describe.skipIf(missing !== undefined)(`ways around the rules ${missing ?? ""}`, () => {
  const canary = new Canary();
  const asked: string[] = [];
  const tlsBytes: number[] = [];
  const tlsServer = net.createServer((socket) => {
    socket.on("error", () => undefined);
    socket.on("data", (chunk) => tlsBytes.push(chunk.length));
  });
  let rebinds = 0;
  let allowed: ReturnType<typeof upstream>;
  let network: TestNetwork;

  beforeAll(async () => {
    await canary.open();
    await new Promise<void>((resolve) => void tlsServer.listen(0, "127.0.0.1", resolve));
    allowed = upstream("allowed", { "/redirect": `http://${LAN}:${canary.port}/` });
    network = new TestNetwork({
      unknownHosts: "deny",
      allow: [
        `allowed.test:80=127.0.0.1:${allowed.port}`,
        `tls.test:443=127.0.0.1:${(tlsServer.address() as net.AddressInfo).port}`,
        `denied.test:${canary.port}`,
        `rebind.test:${canary.port}`,
        ...Object.keys(ADDRESSES).map((name) => `${name}:${canary.port}`),
      ],
      deny: ["denied.test"],
      resolve: async (host) => {
        asked.push(host);
        if (host === "rebind.test") return rebinds++ === 0 ? ["3fff::1"] : ["127.0.0.1"];
        return ADDRESSES[host] ?? [LAN];
      },
    });
  });

  afterAll(async () => {
    await network[Symbol.asyncDispose]();
    allowed[Symbol.dispose]();
    canary.close();
    tlsServer.close();
  });

  test("there are at least forty", () => {
    expect(TRIES.length).toBeGreaterThanOrEqual(40);
  });

  test.each(TRIES.map(([what, text, out]) => [what, text, out] as const))("%s", async (_, text, out) => {
    const words = text
      .replaceAll(/\bC\b/g, String(canary.port))
      .replaceAll(/\bL\b/g, LAN)
      .replaceAll("ROOT", network.root);
    const ran = await network.run(words, { env: { PYTHONDONTWRITEBYTECODE: "1" } });
    expect({ canary: canary.seen, tls: tlsBytes, out: ran.out }).toEqual({
      canary: [],
      tls: [],
      out: expect.not.stringContaining("CANARY"),
    });
    if (out !== undefined) expect(ran.out.trim()).toMatch(out);
    // Nothing is asked of the outer resolver but names that rules allow.
    expect(asked.filter((name) => !(name in ADDRESSES) && name !== "rebind.test")).toEqual([]);
  });

  test("and what is allowed still works, in capitals and with a final dot, too", async () => {
    const ran = await network.run("curl -sS http://allowed.test/ http://ALLOWED.test/ http://allowed.test./");
    expect(ran.out).toBe("allowedallowedallowed");
    await network.run(tlsTry(clientHello(["tls.test"])));
    expect(tlsBytes.length).toBeGreaterThan(0);
  });
});
