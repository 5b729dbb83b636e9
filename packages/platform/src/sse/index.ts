// Event streams (text/event-stream), both ways.
export { EventParser, EventTooLong, eventText, primingText } from "./event-stream.ts";
export type { ServerEvent } from "./event-stream.ts";
