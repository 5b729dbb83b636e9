// ANNOTATION (FORMAT.md, "Block types"): a remark on another block, by its position; never rendered.

import { bytes, oneOf, u32 } from "../field-table.ts";
import { block } from "./block.ts";
import type { BlockOf } from "./block.ts";

export const ANNOTATION_KINDS = ["priority", "summary", "tag"] as const;

/** In the order in which a budget is spent; the first is 1 on the wire. */
export const PRIORITIES = ["critical", "high", "normal", "low", "background"] as const;

export const annotation = block(8, "annotation", {
  /** Counts every block of the payload from 0, annotations too. */
  targetBlockId: u32(1),
  kind: oneOf(2, "AnnotationKind", ANNOTATION_KINDS),
  value: bytes(3),
});

export type AnnotationKind = (typeof ANNOTATION_KINDS)[number];
export type Priority = (typeof PRIORITIES)[number];
export type AnnotationBlock = BlockOf<typeof annotation>;

/** The priority that an annotation sets, if it does and the value is one. */
export function priorityOf(annotation: AnnotationBlock): Priority | undefined {
  return annotation.kind === "priority" ? PRIORITIES[(annotation.value[0] ?? 0) - 1] : undefined;
}

/** The `value` of an annotation that sets a priority. */
export function priorityValue(priority: Priority): Uint8Array {
  return Uint8Array.of(PRIORITIES.indexOf(priority) + 1);
}
