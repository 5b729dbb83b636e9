// The words of JSON in a text: where a string, a number, a literal or a stretch of white space ends. Everything here that
// reads JSON by itself reads it with these.

const [QUOTE, BACKSLASH, MINUS, PLUS, POINT, ZERO, SMALL_E, SMALL_U] = [0x22, 0x5c, 0x2d, 0x2b, 0x2e, 0x30, 0x65, 0x75];
/** A text that quotes much, such as JSON within JSON, is read character by character for so long. */
const READ_CLOSELY = 32;

export function isBlank(unit: number): boolean {
  return unit === 0x20 || unit === 0x0a || unit === 0x0d || unit === 0x09;
}

export function skipBlanks(text: string, from: number): number {
  let at = from;
  while (at < text.length && isBlank(text.charCodeAt(at))) at++;
  return at;
}

/** After the closing quote of the string that opens here; −1 when it is not a JSON string. */
export function stringEnd(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) return at + 1;
    if (unit < 0x20) return -1;
    if (unit !== BACKSLASH) continue;
    at++;
    const escaped = text.charCodeAt(at);
    if (escaped === SMALL_U) {
      for (let i = 1; i <= 4; i++) if (!isHex(text.charCodeAt(at + i))) return -1;
      at += 4;
    } else if (!isSimpleEscape(escaped)) return -1;
  }
  return -1;
}

/** The same for a text that is known to be JSON: by searching, not by reading. Without a closing quote, its end. */
export function knownStringEnd(text: string, start: number): number {
  let from = start + 1;
  for (;;) {
    const quote = text.indexOf('"', from);
    if (quote === -1) return text.length;
    let backslashes = 0;
    while (quote - 1 - backslashes > start && text.charCodeAt(quote - 1 - backslashes) === BACKSLASH) backslashes++;
    if (backslashes % 2 === 0) return quote + 1;
    const end = Math.min(text.length, quote + READ_CLOSELY);
    from = quote + 1;
    while (from < end) {
      const unit = text.charCodeAt(from++);
      if (unit === QUOTE) return from;
      if (unit === BACKSLASH) from++;
    }
  }
}

function isHex(unit: number): boolean {
  return (unit >= 0x30 && unit <= 0x39) || (unit >= 0x41 && unit <= 0x46) || (unit >= 0x61 && unit <= 0x66);
}

// " \ / b f n r t
function isSimpleEscape(unit: number): boolean {
  return (
    unit === QUOTE ||
    unit === BACKSLASH ||
    unit === 0x2f ||
    unit === 0x62 ||
    unit === 0x66 ||
    unit === 0x6e ||
    unit === 0x72 ||
    unit === 0x74
  );
}

/** After the number or word that stands here; −1 when it is neither. */
export function literalEnd(text: string, start: number): number {
  const first = text.charCodeAt(start);
  if (first === 0x74) return text.startsWith("true", start) ? start + 4 : -1;
  if (first === 0x66) return text.startsWith("false", start) ? start + 5 : -1;
  if (first === 0x6e) return text.startsWith("null", start) ? start + 4 : -1;
  const whole = first === MINUS ? start + 1 : start;
  // A leading zero stands alone.
  let end = text.charCodeAt(whole) === ZERO ? whole + 1 : digitsEnd(text, whole);
  if (end === whole) return -1;
  if (text.charCodeAt(end) === POINT && digitsEnd(text, end + 1) > end + 1) end = digitsEnd(text, end + 1);
  if ((text.charCodeAt(end) | 0x20) !== SMALL_E) return end;
  const sign = text.charCodeAt(end + 1);
  const power = sign === PLUS || sign === MINUS ? end + 2 : end + 1;
  return digitsEnd(text, power) > power ? digitsEnd(text, power) : end;
}

export function digitsEnd(text: string, start: number): number {
  let at = start;
  for (let unit = text.charCodeAt(at); unit >= 0x30 && unit <= 0x39; unit = text.charCodeAt(at)) at++;
  return at;
}
