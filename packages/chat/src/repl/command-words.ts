// A command as a person types it → its words, with quotes and backslashes as in a shell and nothing else of a shell:
// no variables, no globs. What starts is exactly what was typed.

/** Undefined: a quote is not closed. */
export function commandWords(text: string): string[] | undefined {
  const words: string[] = [];
  let word: string | undefined;
  let quote = "";
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (quote !== "") {
      if (character === quote) quote = "";
      else if (character === "\\" && quote === '"' && /["\\]/.test(text.charAt(at + 1))) word += text.charAt((at += 1));
      else word += character;
    } else if (character === '"' || character === "'") {
      quote = character;
      word ??= "";
    } else if (/\s/.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? "") + (character === "\\" ? text.charAt((at += 1)) : character);
  }
  if (quote !== "") return undefined;
  return word === undefined ? words : [...words, word];
}
