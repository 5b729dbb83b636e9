// The reply to one POSTed request: plain JSON when the call sends nothing before its answer, an event stream from its
// first notification on. Most calls send none, and JSON is what is fast and what every proxy understands.
import type { MessageText } from "../wire/encoded-text.ts";
import type { EventStream } from "./event-stream.ts";

export class HttpReply {
  readonly response: Promise<Response>;
  private readonly openStream: () => EventStream;
  private readonly headers: Record<string, string>;
  private stream: EventStream | undefined;
  private respond: (response: Response) => void = () => {};
  private answered = false;

  constructor(openStream: () => EventStream, headers: Record<string, string> = {}) {
    this.openStream = openStream;
    this.headers = headers;
    this.response = new Promise((resolve) => (this.respond = resolve));
  }

  /** Something before the answer. */
  send(text: string): void {
    if (!this.answered) this.streaming().send(text);
  }

  answer(text: MessageText, status: number): void {
    if (this.answered) return;
    this.answered = true;
    if (this.stream) {
      this.stream.send(text.toString());
      this.stream.end();
    } else {
      this.respond(jsonResponse(text, status, this.headers));
    }
  }

  /** The client does not want the answer any more. */
  drop(): void {
    this.answered = true;
    if (this.stream) this.stream.end();
    else this.respond(new Response(null, { status: 204 }));
  }

  streaming(): EventStream {
    if (!this.stream) {
      this.stream = this.openStream();
      this.respond(this.stream.attach(0, this.headers));
    }
    return this.stream;
  }
}

export function jsonResponse(text: MessageText, status: number, headers: Record<string, string> = {}): Response {
  return new Response(typeof text === "string" ? text : text.bytes(), {
    status,
    headers: { "content-type": "application/json", ...headers },
  });
}
