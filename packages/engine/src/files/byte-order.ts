// The order of names that contracts speak of: by UTF-8 bytes. JavaScript compares UTF-16 units, which differs for
// characters beyond the first plane.

export function compareBytes(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i += 1) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x !== y) return rank(x) - rank(y);
  }
  return a.length - b.length;
}

/** Paths as a walk meets them: component by component, so `a/b` comes before `a.txt`. */
export function compareWalkOrder(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i += 1) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x !== y) return (x === SLASH ? -1 : rank(x)) - (y === SLASH ? -1 : rank(y));
  }
  return a.length - b.length;
}

const SLASH = 47;

/** Surrogates stand for characters above every other unit. */
function rank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}
