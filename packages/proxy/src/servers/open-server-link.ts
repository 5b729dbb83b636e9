// Opens the link to a server: starts its process, or speaks to its address.
import { isObject, META } from "@bosun/mcp/server";
import { httpFetch } from "@bosun/mcp/client";
import { HttpLink, standardHeaders, startServer, TransportLink } from "@bosun/mcp/relay";
import type { Link, Notification, Outgoing, Request } from "@bosun/mcp/relay";
import { withBackpressure } from "./backpressure.ts";
import type { Backpressure } from "./backpressure.ts";
import { ServerGone } from "./call-failed.ts";
import type { ServerSpec } from "./server-spec.ts";
import type { UnreadableAnswers } from "./unreadable-answers.ts";

/** A result of 10 MB that is sent twice, as text and as structure, still passes. */
const MAX_MESSAGE_BYTES = 32 * 1024 * 1024;

export type LinkOptions = {
  receive(message: Request | Notification): void;
  onStderr(text: string): void;
  unreadable: UnreadableAnswers;
  backpressure: Backpressure;
  /** Arguments of a call that are mirrored in HTTP headers, by the id of its request. */
  argumentHeaders: ReadonlyMap<string, [string, string][]>;
};

/** `ended`: how the process ended, once it has. */
export type ServerLink = { link: Link; ended?: Promise<string> };

export function openServerLink(spec: ServerSpec, options: LinkOptions): ServerLink {
  const { receive, unreadable } = options;
  if (spec.kind === "url") {
    const headersFor = (outgoing: Outgoing): [string, string][] => modernHeaders(outgoing, options.argumentHeaders);
    const { url, headers } = spec;
    const maxMessageBytes = MAX_MESSAGE_BYTES;
    return { link: new HttpLink({ url, fetch: httpFetch, headers, headersFor, receive, maxMessageBytes }) };
  }
  const { command, args, env, cwd } = spec;
  try {
    const child = startServer({
      command,
      args,
      ...(env ? { env, inherits: false } : {}),
      ...(cwd === undefined ? {} : { cwd }),
      onStderr: options.onStderr,
      maxMessageBytes: MAX_MESSAGE_BYTES,
      onOverlong: (beginning) => unreadable.overlong(beginning, MAX_MESSAGE_BYTES),
    });
    const incoming = withBackpressure(unreadable.watch(child.incoming), options.backpressure);
    return { link: new TransportLink({ ...child, incoming }, receive), ended: child.ended };
  } catch (error) {
    // There is no such program, or it cannot be run: the call that needed it says so.
    const why = error instanceof Error ? error.message : String(error);
    throw new ServerGone(`${spec.name} cannot be started: ${why}`);
  }
}

function modernHeaders(outgoing: Outgoing, argumentHeaders: LinkOptions["argumentHeaders"]): [string, string][] {
  const meta = outgoing.params?.["_meta"];
  const version = isObject(meta) ? meta[META.protocolVersion] : undefined;
  if (typeof version !== "string") return [];
  return [...standardHeaders(outgoing, version), ...(argumentHeaders.get(outgoing.id) ?? [])];
}
