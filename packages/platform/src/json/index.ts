// JSON: the one that reads it with places, spans of a text, canonical texts, and numbers as they were written.
export { canonicalJson, digestOf } from "./canonical-json.ts";
export { exactNumber, exactNumberText, isExactNumber, parseExactly, parseKeepingIntegers } from "./exact-numbers.ts";
export { Positions } from "./positions.ts";
export type { Position } from "./positions.ts";
export {
  elementTexts,
  isDeeperThan,
  memberTexts,
  spanAt,
  splice,
  valueEnd,
  walkElements,
  walkMembers,
} from "./json-spans.ts";
export type { Span } from "./json-spans.ts";
export { digitsEnd, isBlank, literalEnd, skipBlanks, stringEnd } from "./json-words.ts";
export { isObject, JsonError, memberOf, readJsonTree, valueOf } from "./json-tree.ts";
export type { JsonMember, JsonOptions, JsonTree } from "./json-tree.ts";
