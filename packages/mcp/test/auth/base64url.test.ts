import { expect, test } from "bun:test";
import { decodeBase64Url, encodeBase64Url, randomBase64Url } from "../../src/auth/base64url.ts";

test("bytes of every length come back", () => {
  for (let length = 0; length < 70; length += 1) {
    const bytes = crypto.getRandomValues(new Uint8Array(length));
    expect(encodeBase64Url(bytes)).toBe(Buffer.from(bytes).toString("base64url"));
    expect(decodeBase64Url(encodeBase64Url(bytes))).toEqual(bytes);
  }
});

// Loose decoders read all of these as the same bytes: then one signature would have many spellings.
test.each(["QQ==", "QR", "Q", "QUI=", "QUJD\n", " QUJD", "QUJ+", "QUJ/", "QUJDR", "QUK"])(
  "%p is no canonical spelling",
  (text) => {
    expect(decodeBase64Url(text)).toBeUndefined();
  },
);

test("random texts have the asked size and differ", () => {
  const texts = Array.from({ length: 100 }, () => randomBase64Url(32));
  expect(new Set(texts).size).toBe(100);
  for (const text of texts) expect(decodeBase64Url(text)).toHaveLength(32);
});
