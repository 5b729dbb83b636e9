// Streamable HTTP as 2026-07-28 has it: POST only, nothing remembered, closing the response cancels the call.
import { createCall } from "../server/call.ts";
import type { Call, Principal, Service } from "../server/call.ts";
import { EventStream } from "./event-stream.ts";
import type { StreamLimits } from "./event-stream.ts";
import { decodeHeaderText, nameMember } from "../wire/mcp-headers.ts";
import { VERSION_HEADER } from "./http-legacy.ts";
import { HttpReply, jsonResponse } from "./http-reply.ts";
import { errorText, notificationText } from "../wire/message.ts";
import type { Request as RpcRequest, Single } from "../wire/message.ts";
import { readModernMeta, supportedRevision } from "../server/modern-request.ts";
import { ANONYMOUS_OWNER } from "../server/session-handle.ts";
import { mismatch } from "../wire/param-headers.ts";
import { replyTo, rpcErrorFor } from "../wire/reply.ts";
import {
  BadRequest,
  CAPABILITY_MISSING,
  HEADER_MISMATCH,
  INVALID_REQUEST,
  METHOD_NOT_FOUND,
  TooManyClients,
  RpcError,
  VERSION_UNSUPPORTED,
} from "../wire/rpc-error.ts";

export class ModernHttp {
  private readonly service: Service;
  private readonly streamLimits: StreamLimits;

  constructor(service: Service, streamLimits: StreamLimits) {
    this.service = service;
    this.streamLimits = streamLimits;
  }

  async post(request: Request, message: Single, principal: Principal | undefined): Promise<Response> {
    switch (message.kind) {
      case "notification":
        this.service.notified?.(message, undefined);
        return new Response(null, { status: 202 });
      case "reply":
        return jsonResponse(errorText(message.id, new RpcError(INVALID_REQUEST, "replies are not sent here")), 400);
      case "malformed":
        return jsonResponse(errorText(message.id, message.error), 400);
      case "request":
        return this.answer(request, message, principal);
    }
  }

  private async answer(request: Request, message: RpcRequest, principal: Principal | undefined): Promise<Response> {
    const checked = checkedMeta(request.headers, message);
    if (checked instanceof RpcError) return jsonResponse(errorText(message.id, checked), 400);
    const hangUp = new AbortController();
    const { signal } = hangUp;
    const reply = new HttpReply(() => this.stream(() => hangUp.abort()));
    if (request.signal.aborted) hangUp.abort();
    else request.signal.addEventListener("abort", () => hangUp.abort(), { once: true });
    const call = createCall(message, {
      ...checked,
      principal,
      owner: principal ? `principal:${principal.id}` : ANONYMOUS_OWNER,
      signal,
      header: (name) => request.headers.get(name),
      notify: (method, params) => {
        if (!signal.aborted) reply.send(notificationText(method, params));
      },
    });
    void replyTo(message.id, signal, () => this.service.handle(call)).then((replied) => {
      if (replied) reply.answer(replied.text, replied.error ? statusOf(replied.error) : 200);
      else reply.drop();
    });
    return reply.response;
  }

  private stream(onHangUp: () => void): EventStream {
    const stream = new EventStream("0", { resumable: false, primed: false }, this.streamLimits);
    stream.onHangUp = onHangUp;
    return stream;
  }
}

/** Revision and client from the `_meta` of the request, if its headers agree; else what is wrong. */
function checkedMeta(headers: Headers, message: RpcRequest): Pick<Call, "revision" | "client"> | RpcError {
  try {
    const { version, client } = readModernMeta(message.params);
    const header = headers.get(VERSION_HEADER);
    if (header === null) throw mismatch("MCP-Protocol-Version is required");
    if (header.trim() !== version) throw mismatch("MCP-Protocol-Version and _meta name different versions");
    const revision = supportedRevision(version);
    checkMethodAndName(headers, message);
    return { revision, client };
  } catch (error) {
    // a request that breaks a rule is answered with 400, not thrown at the listener
    return rpcErrorFor(error);
  }
}

function checkMethodAndName(headers: Headers, { method, params = {} }: RpcRequest): void {
  const header = headers.get("mcp-method");
  if (header === null) throw mismatch("Mcp-Method is required");
  if (header.trim() !== method) throw mismatch(`Mcp-Method does not match the method ${method}`);
  const member = nameMember(method);
  if (member === undefined) return;
  const name = headers.get("mcp-name");
  if (name === null) throw mismatch(`Mcp-Name is required for ${method}`);
  if (decodeHeaderText(name) !== params[member]) throw mismatch(`Mcp-Name does not match params.${member}`);
}

/** Errors of handlers travel in a 200; these are about the request itself. */
function statusOf(error: RpcError): number {
  const { code } = error;
  if (code === METHOD_NOT_FOUND) return 404;
  if (error instanceof BadRequest) return 400;
  if (error instanceof TooManyClients) return 503;
  return code === HEADER_MISMATCH || code === CAPABILITY_MISSING || code === VERSION_UNSUPPORTED ? 400 : 200;
}
