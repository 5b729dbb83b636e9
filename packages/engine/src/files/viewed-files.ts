// Which files one client has seen, and as what: the memory behind "view before edit".
import { EngineError } from "../engine-error.ts";
import type { ScopedPath } from "../scope/scoped-path.ts";
import { hasSameContent } from "./fingerprint.ts";
import type { Fingerprint } from "./fingerprint.ts";
import type { OpenFile } from "./open-file.ts";

/** Enough for any session of work; beyond it the longest unseen file must be viewed again. */
const MAX_REMEMBERED = 10_000;

export class ViewedFiles {
  readonly #seen = new Map<string, Fingerprint>();

  note(realPath: string, fingerprint: Fingerprint): void {
    this.#seen.delete(realPath);
    this.#seen.set(realPath, fingerprint);
    if (this.#seen.size <= MAX_REMEMBERED) return;
    for (const oldest of this.#seen.keys()) {
      this.#seen.delete(oldest);
      break;
    }
  }

  /** Whether it was ever seen; for surfaces that must say so before they say that a file is missing. */
  has(realPath: string): boolean {
    return this.#seen.has(realPath);
  }

  forget(realPath: string): void {
    this.#seen.delete(realPath);
  }

  /** Throws NOT_VIEWED when this client never saw the file, CHANGED_SINCE_VIEW when it has other content now. */
  async require(place: ScopedPath, file: OpenFile, signal?: AbortSignal): Promise<void> {
    const { path, shown } = place;
    const seen = this.#seen.get(path);
    const details = { path, requested: shown };
    if (seen === undefined) throw new EngineError("NOT_VIEWED", `${shown} must be viewed first`, details);
    if (await hasSameContent(file, seen, signal)) return;
    throw new EngineError("CHANGED_SINCE_VIEW", `${shown} changed on disk since it was viewed`, details);
  }
}
