// Nested records that are not held as objects: they write themselves from where they stand.

import type { NamedField } from "./fields.ts";
import type { BackWriter } from "./writer.ts";

export abstract class NestedRecords<R = unknown> {
  /** Prepends all of them as the records of `field`, from the last to the first. */
  abstract write(writer: BackWriter, field: NamedField): void;

  /** The same as objects. */
  abstract list(): R[];
}
