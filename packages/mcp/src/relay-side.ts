// What a relay between clients and servers is made of: messages that keep every byte, and links to servers.
export { startServer } from "./child.ts";
export type { ChildOptions, ChildTransport } from "./child.ts";
export { Conversation } from "./conversation.ts";
export { Deadline } from "./deadline.ts";
export { judgeAnswer, judgeFailure } from "./era.ts";
export { HttpLink } from "./http-link.ts";
export { LineSplitter } from "./lines.ts";
export { TransportLink } from "./link.ts";
export type { Answer, FromServer, Link, Outgoing } from "./link.ts";
export { errorText, idOf, idValue, parseMessage, resultText } from "./message.ts";
export type { Id, Notification, Reply, Request } from "./message.ts";
export { standardHeaders } from "./modern-headers.ts";
export { checkHeaderParams, headerParams, mirroredHeaders } from "./param-headers.ts";
export { memberTexts, spanAt, splice } from "./raw-json.ts";
export { Seal } from "./seal.ts";
