// A server with a gate, for a test that kills it: prints the process of the gate.
import { TestNetwork } from "./harness.ts";

const network = new TestNetwork();
const { prefix } = await network.session.commandNetwork();
console.log(/\d+/.exec(prefix.find((word) => /^(--net=\/proc\/)?\d+/.test(word)) ?? "")?.[0]);
setInterval(() => undefined, 1000);
