// A model on loopback that follows a script: each request takes the next step. Every request body it gets is checked
// against the rules that hold for any server, so that each test is also a test of what was sent.
import { isObject } from "@bosun/mcp";
import type { JsonObject } from "@bosun/mcp";
import { problemsOf } from "./validators.ts";

export type Step = {
  status?: number;
  headers?: Record<string, string>;
  /** Strings go out as they are, JSON values as `data: …`. */
  chunks?: unknown[];
  /** A whole body instead of chunks. */
  body?: string;
  cut?: "whole" | "lines" | "every:1" | `random:${number}`;
  delayMs?: number;
  betweenMs?: number;
  end?: "done" | "close" | "hang" | "keepalive";
  /** Looked at before answering. */
  expect?: (body: JsonObject, headers: Headers) => void;
};

export type Seen = { body: JsonObject; headers: Headers; path: string };

export type ScriptedModel = {
  url: string;
  seen: Seen[];
  aborted: number;
  problems: string[];
  push(...steps: Step[]): void;
  /** Forgets the steps that nobody asked for. */
  clear(): void;
  stop(): Promise<void>;
};

export function startModel(steps: Step[] = [], options: { models?: (string | JsonObject)[] } = {}): ScriptedModel {
  const script = [...steps];
  const model: ScriptedModel = {
    url: "",
    seen: [],
    aborted: 0,
    problems: [],
    push: (...more) => void script.push(...more),
    clear: () => void (script.length = 0),
    stop: async () => server.stop(true),
  };
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    async fetch(request) {
      const path = new URL(request.url).pathname;
      if (path.endsWith("/models")) {
        const listed = (options.models ?? ["scripted"]).map((one) => (typeof one === "string" ? { id: one } : one));
        return Response.json({ data: listed });
      }
      if (!path.endsWith("/chat/completions")) return new Response("not found", { status: 404 });
      const body: unknown = await request.json();
      if (!isObject(body)) return new Response("no body", { status: 400 });
      model.seen.push({ body, headers: request.headers, path });
      model.problems.push(...problemsOf(body));
      const step = script.shift() ?? { chunks: [text("(the script is over)")] };
      try {
        step.expect?.(body, request.headers);
      } catch (error) {
        model.problems.push(String(error));
      }
      request.signal.addEventListener("abort", () => (model.aborted += 1));
      return respond(step, request.signal);
    },
  });
  model.url = `http://127.0.0.1:${server.port}/v1`;
  return model;
}

/** A chunk that says something. */
export function text(content: string, finish: string | null = null): JsonObject {
  return { choices: [{ index: 0, delta: { content }, finish_reason: finish }] };
}

export function finish(reason: string | null): JsonObject {
  return { choices: [{ index: 0, delta: {}, finish_reason: reason }] };
}

export function delta(members: JsonObject, reason: string | null = null): JsonObject {
  return { choices: [{ index: 0, delta: members, finish_reason: reason }] };
}

export function call(name: string, args: unknown, id = `call_${name.slice(0, 8)}`, index = 0): JsonObject {
  const text = typeof args === "string" ? args : JSON.stringify(args);
  return delta({ tool_calls: [{ index, id, type: "function", function: { name, arguments: text } }] });
}

/** An answer in words. */
export function says(...words: string[]): Step {
  return { chunks: [...words.map((word) => text(word)), finish("stop")] };
}

/** An answer that calls tools. */
export function calls(...made: [name: string, args: unknown, id?: string][]): Step {
  const chunks = made.map(([name, args, id], index) =>
    call(name, args, id ?? `call_${index}_${name.slice(-6)}`, index),
  );
  return { chunks: [...chunks, finish("tool_calls")] };
}

async function respond(step: Step, signal: AbortSignal): Promise<Response> {
  if (step.delayMs !== undefined) await pause(step.delayMs, signal);
  const status = step.status ?? 200;
  if (step.body !== undefined) {
    return new Response(step.body, { status, headers: { "content-type": "application/json", ...step.headers } });
  }
  const end = step.end ?? "done";
  const framed = (step.chunks ?? []).map((chunk) =>
    typeof chunk === "string" ? chunk : `data: ${JSON.stringify(chunk)}\n\n`,
  );
  if (end === "done") framed.push("data: [DONE]\n\n");
  const pieces = cutUp(framed, step.cut ?? "lines");
  const stream = new ReadableStream<Uint8Array>({
    async start(controller) {
      try {
        for (const piece of pieces) {
          if (signal.aborted) return;
          controller.enqueue(piece);
          if (step.betweenMs !== undefined) await pause(step.betweenMs, signal);
        }
        if (end === "keepalive") await keepAlive(controller, signal);
        if (end === "hang") await pause(600_000, signal);
        controller.close();
      } catch {
        // the client has gone
      }
    },
  });
  return new Response(stream, { status, headers: { "content-type": "text/event-stream", ...step.headers } });
}

async function keepAlive(controller: ReadableStreamDefaultController<Uint8Array>, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    controller.enqueue(new TextEncoder().encode(": still here\n\n"));
    await pause(20, signal);
  }
}

export function cutUp(framed: string[], cut: NonNullable<Step["cut"]>): Uint8Array[] {
  const encoder = new TextEncoder();
  if (cut === "lines") return framed.map((part) => encoder.encode(part));
  const all = encoder.encode(framed.join(""));
  if (cut === "whole") return [all];
  const random = cut === "every:1" ? () => 1 : randomSizes(Number(cut.slice(7)));
  const pieces: Uint8Array[] = [];
  for (let at = 0; at < all.length;) {
    const size = random();
    pieces.push(all.slice(at, at + size));
    at += size;
  }
  return pieces;
}

/** A small repeatable generator: the same seed gives the same run. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

function randomSizes(seed: number): () => number {
  const next = seeded(seed);
  return () => 1 + Math.floor(next() * 9);
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  signal.addEventListener("abort", () => (clearTimeout(timer), resolve()), { once: true });
  return promise;
}
