import { expect, test } from "bun:test";
import { parseRule } from "@bosun/network";
import { rule } from "../harness.ts";

test.each<[string, object]>([
  ["example.com", { kind: "host", host: "example.com", isWildcard: false, ports: undefined }],
  ["Example.COM.", { kind: "host", host: "example.com", isWildcard: false }],
  ["*.example.com:443,8443", { kind: "host", host: "example.com", isWildcard: true, ports: [443, 8443] }],
  ["npm", { kind: "preset", name: "npm" }],
  ["git-hosts", { kind: "preset", name: "git-hosts" }],
  ["pg=127.0.0.1:5432", { kind: "alias", host: "pg", port: 5432, target: { address: "127.0.0.1", port: 5432 } }],
  [
    "reg.test:443=10.0.0.5:4443",
    { kind: "alias", host: "reg.test", port: 443, target: { address: "10.0.0.5", port: 4443 } },
  ],
  ["db=[fd00::1]:5432", { kind: "alias", host: "db", target: { address: "fd00::1", port: 5432 } }],
  ["xn--bcher-kva.example", { kind: "host", host: "xn--bcher-kva.example" }],
])("%s is a rule", (text, expected) => {
  expect(rule(text)).toMatchObject({ text, ...expected });
});

test.each<[string, number, RegExp]>([
  ["*", 1, /--allow-network/],
  ["*.com", 1, /two labels/],
  ["foo*.com", 4, /whole labels.*\*\.example\.com/],
  ["*.*.com", 3, /whole labels/],
  ["http://a.test/x", 1, /write a\.test$/],
  ["https://a.test:8443", 1, /write a\.test:8443$/],
  ["1.2.3.4", 1, /db=1\.2\.3\.4:443/],
  ["1.2.3.4:80", 1, /db=1\.2\.3\.4:80/],
  ["[::1]:80", 1, /an address/],
  ["::1", 1, /db=\[::1\]:443/],
  ["0x7f.1", 1, /letters, digits/],
  ["2130706433", 1, /letters, digits/],
  ["a.test:0", 8, /1 to 65535/],
  ["a.test:443,70000", 12, /"70000" is no port/],
  ["a.test:", 8, /"" is no port/],
  ["a.test:080", 8, /no port/],
  ["nmp", 1, /did you mean npm/],
  ["localhost", 1, /at least one dot/],
  ["a..test", 3, /letters, digits/],
  ["-a.test", 1, /letters, digits/],
  ["a b.test", 2, /no blanks/],
  ["bücher.example", 2, /xn--/],
  ["a.test/24", 7, /host alone/],
  ["me@a.test", 3, /no user/],
  ["a.test\0.b.test", 7, /./],
  ["", 1, /missing/],
  ["=1.2.3.4:5", 1, /a name/],
  ["db=1.2.3.4", 4, /address and a port/],
  ["db=a.test:443", 4, /not to a name/],
  ["db=1.2.3.4:99999", 12, /no port/],
  ["db:x=1.2.3.4:5", 4, /"x" is no port/],
  ["localhost=127.0.0.1:80", 1, /resolved by programs/],
  ["printer.local=10.0.0.9:80", 1, /resolved by programs/],
  [`${"a".repeat(64)}.test`, 1, /letters, digits/],
])("%p is refused at character %p", (text, column, message) => {
  const parsed = parseRule(text);
  if (parsed.ok) throw new Error("it was taken");
  expect({ column: parsed.problem.column, message: parsed.problem.message }).toEqual({
    column,
    message: expect.stringMatching(message),
  });
});
