// What a relay between clients and servers is made of: messages that keep every byte, and links to servers.
export { startServer } from "./wire/child.ts";
export type { ChildOptions, ChildTransport } from "./wire/child.ts";
export { Conversation } from "./client/conversation.ts";
export { Deadline } from "./wire/deadline.ts";
export { judgeAnswer, judgeFailure } from "./client/era.ts";
export { HttpLink } from "./client/http-link.ts";
export { Outbox } from "./wire/outbox.ts";
export { LineSplitter } from "./wire/lines.ts";
export { TransportLink } from "./client/link.ts";
export type { Answer, FromServer, Link, Outgoing } from "./client/link.ts";
export { isExactNumber, parseExactly } from "./wire/json.ts";
export { errorText, exactResultOf, idFrom, idOf, idValue, parseMessage, resultText } from "./wire/message.ts";
export type { Id, Notification, Reply, Request } from "./wire/message.ts";
export { standardHeaders } from "./wire/modern-headers.ts";
export { checkHeaderParams, headerParams, mirroredHeaders } from "./wire/param-headers.ts";
export { memberTexts, spanAt, splice, valueEnd, walkElements, walkMembers } from "./wire/raw-json.ts";
export type { Span } from "./wire/raw-json.ts";
export { Seal } from "./server/seal.ts";
