// Nested records that are not held as objects: they are written from where they stand.

/** All of them and all that is nested in them, each behind what contains it. */
export type FlatRecords = {
  readonly count: number;
  depth(index: number): number;
  /** The fields of one without what is nested in it. */
  own(index: number): Readonly<Record<string, unknown>>;
};

export abstract class NestedRecords<R = unknown> {
  abstract flat(): FlatRecords;

  /** The same as objects. */
  abstract list(): R[];
}
