// A client of a server on stdio, just enough to call tools: lines out, answers in.

export type Reply = { readonly id: number; readonly result?: Record<string, unknown>; readonly error?: object };

export class StdioClient implements AsyncDisposable {
  readonly #child: Bun.Subprocess<"pipe", "pipe", "ignore">;
  readonly #reader: { read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }> };
  #text = "";
  #id = 0;

  constructor(words: readonly string[], cwd: string, env: Readonly<Record<string, string>>) {
    this.#child = Bun.spawn([...words], { cwd, env, stdin: "pipe", stdout: "pipe", stderr: "ignore" });
    this.#reader = this.#child.stdout.getReader();
  }

  async greet(): Promise<Reply> {
    const clientInfo = { name: "test", version: "1" };
    const reply = await this.ask("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo });
    this.#send({ jsonrpc: "2.0", method: "notifications/initialized" });
    return reply;
  }

  async call(name: string, args: object): Promise<string> {
    const { result, error } = await this.ask("tools/call", { name, arguments: args });
    if (error !== undefined) throw new Error(JSON.stringify(error));
    const content = (result?.["content"] ?? []) as { text?: string }[];
    return content.map(({ text }) => text ?? "").join("\n");
  }

  async toolNames(): Promise<string[]> {
    const { result = {} } = await this.ask("tools/list", {});
    return (result["tools"] as { name: string }[]).map(({ name }) => name);
  }

  async ask(method: string, params: object): Promise<Reply> {
    this.#id += 1;
    this.#send({ jsonrpc: "2.0", id: this.#id, method, params });
    for (;;) {
      const message = JSON.parse(await this.#line()) as Reply;
      if (message.id === this.#id) return message;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    void this.#child.stdin.end();
    const timer = setTimeout(() => this.#child.kill("SIGKILL"), 20_000);
    await this.#child.exited;
    clearTimeout(timer);
  }

  #send(message: object): void {
    void this.#child.stdin.write(`${JSON.stringify(message)}\n`);
    void this.#child.stdin.flush();
  }

  async #line(): Promise<string> {
    while (!this.#text.includes("\n")) {
      const { value, done } = await this.#reader.read();
      if (done) throw new Error(`the server ended with ${await this.#child.exited}`);
      this.#text += new TextDecoder().decode(value);
    }
    const [line = ""] = this.#text.split("\n");
    this.#text = this.#text.slice(line.length + 1);
    return line;
  }
}
