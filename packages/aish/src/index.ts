// Public names of @bosun/aish.
export { askModel } from "./model/ask-model.ts";
export { Conversation } from "./conversation/conversation.ts";
export { renderMessages } from "./conversation/render.ts";
