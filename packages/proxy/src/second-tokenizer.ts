// A second vocabulary to count with: a saving that exists in only one has been tuned to it. It is no dependency of
// ours; where it is installed, as in development, reports have two columns.

export type SecondTokenizer = (text: string) => number;

const PACKAGE = "@anthropic-ai/tokenizer";

export async function findSecondTokenizer(): Promise<SecondTokenizer | undefined> {
  try {
    const found: unknown = await import(PACKAGE);
    const count = typeof found === "object" && found !== null && "countTokens" in found ? found.countTokens : undefined;
    return typeof count === "function" ? (text) => Number(count(text)) : undefined;
  } catch {
    return undefined;
  }
}
