// The classes of characters that the o200k splitter tells apart. Lm and Lo letters count as upper and lower at once,
// marks too, but a mark may also stand where a symbol may.

export const CharClass = { other: 0, upper: 1, lower: 2, letter: 3, mark: 4, digit: 5, space: 6, newline: 7 } as const;
