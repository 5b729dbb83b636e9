// A list of a JSON report, one level deep, written item by item: together they may say far more than is worth holding.

import type { ChunkedWriter } from "./chunked-writer.ts";

export class JsonArrayWriter {
  private readonly out: ChunkedWriter;
  private separator = "[";

  constructor(out: ChunkedWriter) {
    this.out = out;
  }

  /** `last`: a member behind the others whose value may be longer than a string should be. */
  async add(item: object, last?: { readonly key: string; readonly text: Iterable<string> }): Promise<void> {
    const whole = JSON.stringify(last ? { ...item, [last.key]: "" } : item, undefined, 2).replaceAll("\n", "\n    ");
    const closing = '"\n    }';
    await this.out.write(`${this.separator}\n    ${last ? whole.slice(0, -closing.length) : whole}`);
    this.separator = ",";
    if (!last) return;
    for (const piece of last.text) await this.out.write(JSON.stringify(piece).slice(1, -1));
    await this.out.write(closing);
  }

  async end(): Promise<void> {
    await this.out.write(this.separator === "[" ? "[]" : "\n  ]");
  }
}
