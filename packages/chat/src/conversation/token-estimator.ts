// How full the model's window is, estimated by characters and corrected by what the server counts.

const CHARS_PER_TOKEN = 3.5;
const SUSPICIOUS = 0.6;

export class TokenEstimator {
  /** Tokens counted by the server per token estimated. */
  #ratio = 1;

  estimate(chars: number): number {
    return Math.ceil((chars / CHARS_PER_TOKEN) * this.#ratio);
  }

  /** Learns from the server's own count. What it says when the prompt seems to have been cut. */
  learn(sentChars: number, counted: number | undefined, cached: number | undefined): string | undefined {
    if (counted === undefined || counted <= 0 || sentChars < 400) return undefined;
    const plain = sentChars / CHARS_PER_TOKEN;
    const expected = plain * this.#ratio;
    if (counted < expected * SUSPICIOUS && cached === undefined && plain > 2000) {
      return `the server seems to have cut the prompt (it counted ${count(counted)} tokens, about ${count(expected)} were sent); is its context window smaller than configured?`;
    }
    this.#ratio = Math.min(3, Math.max(0.4, counted / plain));
    return undefined;
  }
}

function count(number: number): string {
  return Math.round(number).toLocaleString("en-US");
}
