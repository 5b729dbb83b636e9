// The nested records of a block, one after the other: an array is such a list, and so is what lies in a payload.

export type RecordList<R> = Iterable<R> & { readonly length: number };

/** Goes through a list without a generator: there may be millions of records. */
export type RecordCursor<R> = { next(): R | undefined };

/** A list that brings a cursor of its own. */
export type CursorSource<R> = { cursor(): RecordCursor<R> };

export function cursorOf<R>(list: RecordList<R>): RecordCursor<R> {
  if (Array.isArray(list)) return new ArrayCursor<R>(list);
  if ("cursor" in list && typeof list.cursor === "function") return (list as RecordList<R> & CursorSource<R>).cursor();
  return new ArrayCursor([...list]);
}

class ArrayCursor<R> implements RecordCursor<R> {
  private readonly list: readonly R[];
  private at = 0;

  constructor(list: readonly R[]) {
    this.list = list;
  }

  next(): R | undefined {
    return this.list[this.at++];
  }
}

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
