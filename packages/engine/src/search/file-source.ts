// Where the files of a content search come from: a tree that was searched, or one file that was named.
import type { Pinned } from "./open-candidate.ts";

export type FileSource = AsyncDisposable & {
  /** In walk order, each batch open until the next is asked for. */
  readonly batches: () => AsyncIterable<readonly Pinned[]>;
  /** Newest first; `sure` ones are known to match. */
  readonly newestFirst: () => AsyncIterable<{
    readonly path: string;
    readonly sure: boolean;
    readonly pin: () => Pinned | undefined;
  }>;
};
