// The files of a tree that match, found by ripgrep by name, handed out opened and verified: in walk order for their
// content, or newest first for their names.
import { compareBytes, compareWalkOrder } from "../files/byte-order.ts";
import type { Directory } from "../scope/directory.ts";
import type { Scope } from "../scope/scope.ts";
import { TimeSlices } from "../time-slices.ts";
import { findHere, findInLinked, linkedFiles } from "./candidates.ts";
import type { Candidate, ContentSearch } from "./candidates.ts";
import type { GrepPlan, GrepRequest } from "./grep-request.ts";
import type { FileSource } from "./file-source.ts";
import { isTrappedAbove, repositoryOf } from "./gitignore.ts";
import { findLinks } from "./linked-places.ts";
import type { Links } from "./linked-places.ts";
import { Pinner } from "./open-candidate.ts";
import type { Pinned } from "./open-candidate.ts";

/** Descriptors open at once for one search. */
const MAX_BATCH = 200;
const FIRST_BATCH = 16;
/** Names kept; more could not be shown anyway. */
const MAX_KEPT = 100_000;

export type Looking = { readonly plan: GrepPlan; readonly program: string; readonly signal: AbortSignal };

export class FoundFiles implements FileSource {
  readonly #top: Directory;
  readonly #search: ContentSearch;
  readonly #limited: boolean;
  readonly #startedMs = Date.now();
  readonly #stop = new AbortController();
  readonly #links: Promise<Links>;
  readonly #pinners = new Map<Directory, Pinner>();

  constructor(top: Directory, scope: Scope, request: GrepRequest, looking: Looking) {
    this.#top = top;
    // In walk order one file that takes too long would keep all behind it from being found.
    this.#limited = (request.limit ?? 0) > 0 && request.multiline !== true;
    const signal = AbortSignal.any([looking.signal, this.#stop.signal]);
    const trap = new AbortController();
    if (isTrappedAbove(top.path)) trap.abort();
    // Beside ripgrep's own walk: few trees hold links, but only a walk can tell.
    this.#links = findLinks(scope, top, new TimeSlices(signal), () => trap.abort());
    const scanned = this.#links.then(
      () => undefined,
      () => undefined,
    );
    const inRepository = repositoryOf(top.path) !== undefined;
    this.#search = { ...looking, scope, top, signal, inRepository, trap: trap.signal, scanned };
    this.#links.catch(() => undefined); // awaited below; until then nobody listens
  }

  async *batches(): AsyncGenerator<readonly Pinned[]> {
    let size = FIRST_BATCH;
    let batch: Pinned[] = [];
    try {
      for await (const candidate of this.#inWalkOrder()) {
        const pinned = candidate.pin();
        if (pinned === undefined) continue;
        // Without descriptors a file and a link to it are the same argument: not in one batch.
        if (batch.length >= size || batch.some(({ argument }) => argument === pinned.argument)) {
          const full = batch;
          batch = [pinned];
          yield* lend(full);
          size = Math.min(size * 4, MAX_BATCH);
        } else {
          batch.push(pinned);
        }
      }
      if (batch.length > 0) yield batch;
    } finally {
      release(batch);
    }
  }

  async *newestFirst(): AsyncGenerator<{ path: string; sure: boolean; pin: () => Pinned | undefined }> {
    const slices = new TimeSlices();
    const candidates = await this.#all(compareWalkOrder);
    const dated: { path: string; sure: boolean; pin: () => Pinned | undefined; mtimeNs: bigint }[] = [];
    for (const { path, pin, look } of candidates) {
      const seen = look();
      if (seen !== undefined) dated.push({ path, pin, sure: seen.stable, mtimeNs: seen.mtimeNs });
      if (slices.due) await slices.pause();
    }
    dated.sort((a, b) => (a.mtimeNs === b.mtimeNs ? compareBytes(a.path, b.path) : a.mtimeNs > b.mtimeNs ? -1 : 1));
    yield* dated;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    const links = await this.#links.catch(() => undefined);
    for (const pinner of this.#pinners.values()) pinner[Symbol.dispose]();
    for (const { directory } of links?.directories ?? []) directory[Symbol.dispose]();
    this.#top[Symbol.dispose]();
  }

  /** With a limit as a stream, so that the walk can end when it is met; else all at once, which is faster. */
  async *#inWalkOrder(): AsyncGenerator<Candidate> {
    if (!this.#limited) {
      yield* await this.#all(compareWalkOrder);
      return;
    }
    const linked = (await this.#linked()).sort((a, b) => compareWalkOrder(a.path, b.path));
    let next = linked.shift();
    for await (const candidate of findHere(this.#search, this.#pinnerOf, true)) {
      for (; next !== undefined && compareWalkOrder(next.path, candidate.path) < 0; next = linked.shift()) yield next;
      yield candidate;
    }
    if (next !== undefined) yield next;
    yield* linked;
  }

  async #all(compare: (a: string, b: string) => number): Promise<Candidate[]> {
    const candidates: Candidate[] = [];
    const byOrder = (a: Candidate, b: Candidate) => compare(a.path, b.path);
    for await (const candidate of findHere(this.#search, this.#pinnerOf, false)) {
      candidates.push(candidate);
      if (candidates.length >= 2 * MAX_KEPT) candidates.sort(byOrder).length = MAX_KEPT;
    }
    candidates.push(...(await this.#linked()));
    return candidates.sort(byOrder);
  }

  async #linked(): Promise<Candidate[]> {
    const links = await this.#links;
    const found = await Array.fromAsync(findInLinked(this.#search, links, this.#pinnerOf));
    return [...found, ...linkedFiles(this.#search, links)];
  }

  /** Made when the first file is opened: that is after ripgrep has read it, so a change it may have fallen for shows. */
  readonly #pinnerOf = (directory: Directory): Pinner => {
    const known = this.#pinners.get(directory);
    if (known !== undefined) return known;
    const pinner = new Pinner(directory, this.#startedMs);
    this.#pinners.set(directory, pinner);
    return pinner;
  };
}

/** Open while it is lent, whether or not the borrower comes back for more. */
function* lend(batch: readonly Pinned[]): Generator<readonly Pinned[]> {
  try {
    yield batch;
  } finally {
    release(batch);
  }
}

function release(batch: readonly Pinned[]): void {
  for (const file of batch) file[Symbol.dispose]();
}
