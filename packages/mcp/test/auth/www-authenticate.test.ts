import { expect, test } from "bun:test";
import { parseChallenges, readDemand } from "../../src/auth/www-authenticate.ts";

type Plain = [scheme: string, params: Record<string, string>, token68?: string];

function plain(header: string | null): Plain[] {
  return parseChallenges(header).map(({ scheme, params, token68 }) => {
    const named = Object.fromEntries(params);
    return token68 === undefined ? [scheme, named] : [scheme, named, token68];
  });
}

test.each<[string, string | null, Plain[]]>([
  ["no header, no challenge", null, []],
  ["a bare scheme", "Bearer", [["bearer", {}]]],
  [
    "quoted and bare values",
    'Bearer realm="a b", error=invalid_token',
    [["bearer", { realm: "a b", error: "invalid_token" }]],
  ],
  ["commas and equals signs inside quotes", 'Bearer scope="a,b=c, d"', [["bearer", { scope: "a,b=c, d" }]]],
  [
    "escaped quotes and backslashes",
    String.raw`Bearer realm="say \"hi\" \\ there"`,
    [["bearer", { realm: String.raw`say "hi" \ there` }]],
  ],
  ["spaces around the equals sign", 'Bearer realm = "x" , error = y', [["bearer", { realm: "x", error: "y" }]]],
  ["names and schemes in any case", 'BEARER Error="x"', [["bearer", { error: "x" }]]],
  [
    "several challenges in one line",
    'Basic realm="r", Bearer error="x", scope="a b", DPoP algs="ES256"',
    [
      ["basic", { realm: "r" }],
      ["bearer", { error: "x", scope: "a b" }],
      ["dpop", { algs: "ES256" }],
    ],
  ],
  [
    "a bare scheme between others",
    "Negotiate, Bearer error=x",
    [
      ["negotiate", {}],
      ["bearer", { error: "x" }],
    ],
  ],
  [
    "token68 with padding",
    "Negotiate YWJj==, Bearer error=x",
    [
      ["negotiate", {}, "YWJj=="],
      ["bearer", { error: "x" }],
    ],
  ],
  ["token68 with one equals sign is no parameter", "Basic abc=", [["basic", {}, "abc="]]],
  ["empty list elements", ", ,Bearer error=x,, scope=y,", [["bearer", { error: "x", scope: "y" }]]],
  ["the first of two equal names", 'Bearer scope="a", scope="b"', [["bearer", { scope: "a" }]]],
  ["a broken tail invents nothing", 'Bearer error="x", scope="never closed', [["bearer", { error: "x" }]]],
  ["a header that begins broken", '"Bearer" error=x', []],
  ["a text beyond any real header", `Bearer realm="${"x".repeat(20_000)}"`, []],
  ["tabs as spaces", 'Bearer\terror="x"', [["bearer", { error: "x" }]]],
])("challenges: %s", (_, header, expected) => {
  expect(plain(header)).toEqual(expected);
});

test("challenges: cut at every byte, nothing is made up", () => {
  const whole = 'Basic realm="r\\"q", Bearer error="invalid_token", scope="a b", DPoP algs="ES256"';
  const values = new Set(['r"q', "invalid_token", "a b", "ES256"]);
  for (let length = 0; length < whole.length; length += 1)
    for (const { params } of parseChallenges(whole.slice(0, length)))
      for (const value of params.values()) expect(values).toContain(value);
});

test("challenges: a text made to be slow comes to an end", () => {
  for (const piece of ['a="', "a=b,", "Bearer ", ",", 'Bearer a="\\"'])
    expect(parseChallenges(piece.repeat(3000).slice(0, 16_000)).length).toBeLessThanOrEqual(32);
});

test.each<[string, number, string | undefined, unknown]>([
  ["a success asks nothing", 200, 'Bearer error="x"', undefined],
  ["a 401 without any challenge may have metadata", 401, undefined, { kind: "invalid_token", acceptsBearer: true }],
  ["a 401 for Basic alone is not ours", 401, 'Basic realm="x"', undefined],
  ["a 403 without a reason is final", 403, 'Bearer scope="x"', undefined],
  [
    "a 403 for scope",
    403,
    'Bearer error="insufficient_scope", scope="x y"',
    { kind: "insufficient_scope", scope: "x y" },
  ],
  ["a DPoP nonce", 401, 'DPoP error="use_dpop_nonce"', { kind: "dpop_nonce", acceptsBearer: false, acceptsDpop: true }],
  [
    "metadata beside a foreign scheme",
    401,
    'Basic realm="r", Bearer resource_metadata="https://a/b"',
    { resourceMetadata: "https://a/b" },
  ],
])("demand: %s", (_, status, header, expected) => {
  const demand = readDemand(status, new Headers(header === undefined ? {} : { "www-authenticate": header }));
  if (expected === undefined) expect(demand).toBeUndefined();
  else expect(demand).toMatchObject(expected as Record<string, unknown>);
});
