// Where the tokens went: per request as the server counts them, per tool and server as results carry them, and what
// shrinking saved.
import type { Usage } from "../model/completion-chunk.ts";

/** Of a million tokens, as the settings of the model say. */
export type Prices = {
  readonly priceIn?: number | undefined;
  readonly priceCached?: number | undefined;
  readonly priceOut?: number | undefined;
};

type ToolCost = { calls: number; tokens: number; saved: number };

export class Cost {
  readonly #tools = new Map<string, ToolCost>();
  readonly #calls: { name: string; tokens: number; saved: number }[] = [];
  requests = 0;
  in = 0;
  out = 0;
  cached = 0;

  /** Undefined as long as no price is known. */
  money: number | undefined;

  request(usage: Usage | undefined, prices: Prices = {}): void {
    const { priceIn, priceOut = 0 } = prices;
    if (priceIn !== undefined && usage !== undefined) {
      const cached = usage.cached ?? 0;
      const sent = (usage.in - cached) * priceIn + cached * (prices.priceCached ?? priceIn);
      this.money = (this.money ?? 0) + (sent + usage.out * priceOut) / 1_000_000;
    }
    this.requests += 1;
    this.in += usage?.in ?? 0;
    this.out += usage?.out ?? 0;
    this.cached += usage?.cached ?? 0;
  }

  call(name: string, tokens: number, saved: number): void {
    const known = this.#tools.get(name) ?? { calls: 0, tokens: 0, saved: 0 };
    this.#tools.set(name, { calls: known.calls + 1, tokens: known.tokens + tokens, saved: known.saved + saved });
    this.#calls.push({ name, tokens, saved });
    if (this.#calls.length > 200) this.#calls.shift();
  }

  lines(): string[] {
    const number = (value: number): string => Math.round(value).toLocaleString("en-US");
    const cached = this.cached > 0 ? ` (${number(this.cached)} of them cached)` : "";
    const lines = [
      `${this.requests === 1 ? "1 request" : `${this.requests} requests`} · ${number(this.in)} tokens in${cached} · ${number(this.out)} out${this.money === undefined ? "" : ` · ${moneyText(this.money)}`}`,
    ];
    const servers = new Map<string, ToolCost>();
    for (const [name, cost] of this.#tools) {
      const alias = name.slice(0, name.indexOf("."));
      const sum = servers.get(alias) ?? { calls: 0, tokens: 0, saved: 0 };
      servers.set(alias, {
        calls: sum.calls + cost.calls,
        tokens: sum.tokens + cost.tokens,
        saved: sum.saved + cost.saved,
      });
    }
    const line = (name: string, cost: ToolCost): string => {
      const saved = cost.saved > 0 ? ` · shrinking saved ${number(cost.saved)}` : "";
      return `${name.padEnd(28)} ${String(cost.calls).padStart(4)} ${cost.calls === 1 ? "call " : "calls"} ${number(cost.tokens).padStart(9)} tokens${saved}`;
    };
    for (const [alias, cost] of [...servers].sort((left, right) => right[1].tokens - left[1].tokens)) {
      lines.push(line(`${alias}.*`, cost));
      for (const [name, one] of this.#tools) if (name.startsWith(`${alias}.`)) lines.push(`  ${line(name, one)}`);
    }
    const dearest = [...this.#calls].sort((left, right) => right.tokens - left.tokens).slice(0, 3);
    for (const { name, tokens } of dearest) lines.push(`  largest result: ${name} ${number(tokens)} tokens`);
    return lines;
  }
}

/** Small amounts with as many digits as say something. */
export function moneyText(amount: number): string {
  return `$${amount >= 1 || amount === 0 ? amount.toFixed(2) : amount.toPrecision(2)}`;
}
