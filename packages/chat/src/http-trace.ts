// `--trace FILE`: every HTTP exchange, with the model and with servers, as a script that a test can replay. Secrets are
// taken out on the way.
import { appendFileSync, writeFileSync } from "node:fs";
import type { Redactor } from "@bosun/platform/secrets";
import type { HttpFetch } from "@bosun/mcp";

const MAX_BODY_CHARS = 32 * 1024 * 1024;

/** One line per exchange: what was asked, and the answer in the pieces it came in. */
export type TraceStep = {
  request: { host: string; path: string; body: unknown };
  status: number;
  headers: Record<string, string>;
  chunks: string[];
  end: "close" | "reset";
};

/** Puts a recorder around every way out; all of them write to one file. */
export type Tracing = (real: HttpFetch) => HttpFetch;

export function openTrace(file: string, redactor: Redactor): Tracing {
  writeFileSync(file, "", { mode: 0o600 });
  const write = (step: TraceStep): void => {
    appendFileSync(file, `${redactor.text(JSON.stringify(step))}\n`);
  };
  return (real) => async (url, init) => {
    const response = await real(url, init);
    const sent = typeof init?.body === "string" ? init.body : "";
    const { host, pathname } = new URL(url);
    const step: TraceStep = {
      request: { host, path: pathname, body: redactor.value(parsed(sent)) },
      status: response.status,
      headers: headersOf(response),
      chunks: [],
      end: "close",
    };
    const source = response.body;
    if (source === null) {
      write(step);
      return response;
    }
    return new Response(source.pipeThrough(recorder(step, write)), {
      status: response.status,
      statusText: response.statusText,
      headers: response.headers,
    });
  };
}

function recorder(step: TraceStep, write: (step: TraceStep) => void): TransformStream<Uint8Array, Uint8Array> {
  const decoder = new TextDecoder();
  let kept = 0;
  let isWritten = false;
  const once = (end: TraceStep["end"]): void => {
    if (isWritten) return;
    isWritten = true;
    step.end = end;
    write(step);
  };
  return new TransformStream({
    transform(chunk, controller) {
      const text = decoder.decode(chunk, { stream: true });
      kept += text.length;
      if (kept <= MAX_BODY_CHARS && text !== "") step.chunks.push(text);
      controller.enqueue(chunk);
      // Whoever reads stops at the last event and does not wait for the end of the stream.
      if (/data:\s*\[DONE\]/.test(text)) once("close");
    },
    flush: () => once("close"),
  });
}

// Only what says how to read the body; cookies and the like are nobody's business.
function headersOf(response: Response): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const name of ["content-type", "retry-after", "retry-after-ms"]) {
    const value = response.headers.get(name);
    if (value !== null) kept[name] = value;
  }
  return kept;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text; // a body that is not JSON is recorded as it is
  }
}
