// A temporary workspace with an outside beside it, and the scope over it. Real files only.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { closeScope, openScope, resolveInScope } from "../src/index.ts";
import { EngineError } from "../src/index.ts";
import type { ResolveOptions, Scope, ScopedPath, ScopeOptions } from "../src/index.ts";

export type Content = string | Uint8Array | { readonly link: string } | { readonly directory: true };

export const link = (target: string): Content => ({ link: target });
export const directory: Content = { directory: true };

export class Workspace implements Disposable {
  readonly base: string;
  readonly root: string;
  readonly outside: string;
  readonly scope: Scope;

  constructor(files: Record<string, Content> = {}, options: Partial<ScopeOptions> = {}) {
    this.base = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "bosun-engine-")));
    this.root = path.join(this.base, "w");
    this.outside = path.join(this.base, "outside");
    fs.mkdirSync(this.root);
    fs.mkdirSync(this.outside);
    fs.writeFileSync(path.join(this.outside, "secret.txt"), "secret\n");
    this.put(files);
    this.scope = openScope({ workdir: this.root, roots: [this.root], ...options });
  }

  put(files: Record<string, Content>): void {
    for (const [name, content] of Object.entries(files)) {
      const at = path.join(this.root, name);
      fs.mkdirSync(path.dirname(at), { recursive: true });
      if (typeof content === "string" || content instanceof Uint8Array) fs.writeFileSync(at, content);
      else if ("link" in content) fs.symlinkSync(content.link, at);
      else fs.mkdirSync(at, { recursive: true });
    }
  }

  at(...names: string[]): string {
    return path.join(this.root, ...names);
  }

  read(name: string): string {
    return fs.readFileSync(this.at(name), "utf8");
  }

  bytes(name: string): Buffer {
    return fs.readFileSync(this.at(name));
  }

  resolve(requested: string, options?: ResolveOptions): ScopedPath {
    return resolveInScope(this.scope, requested, options);
  }

  [Symbol.dispose](): void {
    closeScope(this.scope);
    fs.rmSync(this.base, { recursive: true, force: true });
  }
}

/** The code of the EngineError that the work ends in, or "ok". Anything else thrown is a bug and passes through. */
export async function outcome(work: () => unknown): Promise<string> {
  try {
    const result = await work();
    if (result !== null && typeof result === "object" && Symbol.dispose in result) {
      (result as Disposable)[Symbol.dispose]();
    }
    return "ok";
  } catch (error) {
    if (error instanceof EngineError) return error.code;
    throw error;
  }
}

export async function failure(work: () => unknown): Promise<EngineError> {
  try {
    await work();
  } catch (error) {
    if (error instanceof EngineError) return error;
    throw error;
  }
  throw new Error("it did not fail");
}

/** Directories and files of the workspace that this process holds open, and directories above it: nothing may be left. */
export function openDescriptors(workspace: Workspace): number {
  const { base } = workspace;
  return fs.readdirSync("/proc/self/fd").filter((fd) => {
    try {
      const at = fs.readlinkSync(`/proc/self/fd/${fd}`);
      return at === base || at.startsWith(`${base}/`) || at === "/" || base.startsWith(`${at}/`);
    } catch {
      return false; // the one that read the directory
    }
  }).length;
}
