// One command behind a gate, for a test that runs it as another user.
import { TestNetwork } from "./harness.ts";

await using network = new TestNetwork({ allow: [`a.test:80=127.0.0.1:${process.argv[2]}`], unknownHosts: "deny" });
const { out, lines } = await network.run(
  "curl -sS http://a.test/; curl -sS http://evil.test/; curl -sS http://127.0.0.1:443/; python3 -c 'import socket as s; s.socket().bind((\"127.0.0.1\", 53))' && echo bound",
);
console.log(JSON.stringify({ uid: process.getuid?.(), out, lines }));
