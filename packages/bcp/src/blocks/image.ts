// IMAGE (FORMAT.md, "Block types"): a picture, or a URI of one; nothing in the format tells which (D-20).

import { bytes, oneOf, text } from "../field-table.ts";
import { block } from "./block.ts";
import type { BlockOf } from "./block.ts";

export const MEDIA_TYPES = ["png", "jpeg", "gif", "svg", "webp"] as const;

export const image = block(10, "image", {
  mediaType: oneOf(1, "MediaType", MEDIA_TYPES),
  altText: text(2),
  data: bytes(3),
});

export type MediaType = (typeof MEDIA_TYPES)[number];
export type ImageBlock = BlockOf<typeof image>;
