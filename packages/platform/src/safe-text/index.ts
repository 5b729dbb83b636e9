// Foreign text that cannot act on a screen.
export { createScreenSafeStream, type ScreenSafeStream } from "./screen-safe-stream.ts";
export { diffOf } from "./line-diff.ts";
export { escapeOf, makeScreenSafe, screenSafe, withoutTagCharacters } from "./screen-safe.ts";
export { MARK, VISIBLE, classOf } from "./characters.ts";
