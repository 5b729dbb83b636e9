// What a relay between clients and servers is made of: messages that keep every byte, and links to servers.
export { startServer } from "./wire/child-transport.ts";
export type { ChildOptions, ChildTransport } from "./wire/child-transport.ts";
export { ClientSession } from "./client/client-session.ts";
export { Deadline } from "./wire/deadline.ts";
export { eraFromReply, eraFromFailure } from "./client/detect-era.ts";
export { HttpLink } from "./client/http-link.ts";
export { SendQueue } from "./wire/send-queue.ts";
export { LineSplitter } from "./wire/line-splitter.ts";
export { TransportLink } from "./client/link.ts";
export type { Answer, FromServer, Link, Outgoing } from "./client/link.ts";
export { errorText, exactResultOf, idFrom, idOf, idValue, parseMessage, resultText } from "./wire/message.ts";
export type { Id, Notification, Reply, Request } from "./wire/message.ts";
export { standardHeaders } from "./wire/mcp-headers.ts";
export { checkHeaderParams, headerParams, mirroredHeaders } from "./wire/param-headers.ts";
export { canAsk } from "./server/ask.ts";
export { StateCipher } from "./server/state-cipher.ts";
