// A folder that is recorded, real commands in it, and what a person types about it.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { LocalKeeper, stepJson, takeBack, UndoStore } from "../../src/index.ts";
import type { TakeBackRequest, UndoSettings } from "../../src/index.ts";
import { Recorder } from "../../src/recorder.ts";
import type { ExactChange } from "../../src/recorder.ts";

export type Said = { code: number; out: string; err: string };

export class RecordedTree implements Disposable {
  readonly home: string;
  readonly root: string;
  readonly state: string;
  store: UndoStore;
  keeper: LocalKeeper;
  recorder: Recorder;
  notices: string[] = [];
  #calls = 0;
  readonly #settings: Partial<UndoSettings>;

  /** `fill` makes what is there before anything is recorded. */
  constructor(fill: (root: string) => void = () => {}, settings: Partial<UndoSettings> = {}, state?: string) {
    this.home = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "bosun-undo-")));
    this.root = path.join(this.home, "tree");
    this.state = state ?? path.join(this.home, "state");
    fs.mkdirSync(this.root);
    fill(this.root);
    this.#settings = settings;
    this.store = this.open();
    this.keeper = new LocalKeeper(this.store);
    this.keeper.begin();
    this.keeper.freshen();
    this.recorder = this.record(this.keeper);
  }

  open(): UndoStore {
    return new UndoStore({
      stateFolder: this.state,
      tree: this.root,
      settings: this.#settings,
      notice: (text) => this.notices.push(text),
    });
  }

  record(keeper: LocalKeeper): Recorder {
    return new Recorder(this.store, {
      ready: async () => true,
      scan: async () => {
        keeper.scan();
      },
    });
  }

  /** As another process that starts later. */
  reopen(): void {
    this.store.close();
    this.store = this.open();
    this.keeper = new LocalKeeper(this.store);
    this.keeper.begin();
    this.recorder = this.record(this.keeper);
  }

  at(name: string): string {
    return path.join(this.root, name);
  }

  write(name: string, content: string | Uint8Array): void {
    fs.mkdirSync(path.dirname(this.at(name)), { recursive: true });
    fs.writeFileSync(this.at(name), content);
  }

  read(name: string): string {
    return fs.readFileSync(this.at(name), "utf8");
  }

  has(name: string): boolean {
    return fs.lstatSync(this.at(name), { throwIfNoEntry: false }) !== undefined;
  }

  /** A command of an agent, recorded. */
  async bash(command: string, session = "alice"): Promise<string> {
    const call = this.nextCall();
    const window = await this.recorder.openWindow({ session, call, tool: "bosun.bash", label: command }, "command");
    await this.unrecorded(command);
    await window.close();
    return call;
  }

  /** A command of a person, in another window. */
  async unrecorded(command: string): Promise<number> {
    const child = Bun.spawn(["bash", "-c", command], {
      cwd: this.root,
      env: { PATH: process.env["PATH"] ?? "/usr/bin:/bin", HOME: this.home, GIT_CONFIG_NOSYSTEM: "1", ...GIT_AUTHOR },
      stdin: "ignore",
      stdout: "ignore",
      stderr: "ignore",
    });
    return child.exited;
  }

  /** A file tool: `paths` are what it says it will write. */
  tool(paths: readonly string[], write: () => void, options: { session?: string; tool?: string } = {}): string {
    const call = this.nextCall();
    const change: ExactChange = this.recorder.openChange({
      session: options.session ?? "alice",
      call,
      tool: options.tool ?? "bosun.str_replace",
      label: paths.join(" "),
    });
    for (const name of paths) change.before(name);
    write();
    change.done();
    return call;
  }

  nextCall(): string {
    this.#calls += 1;
    return `c${this.#calls}`;
  }

  async undo(request: Partial<TakeBackRequest> = {}, answer?: boolean): Promise<Said> {
    return this.#takeBack({ kind: "undo", isAgreed: answer === undefined, ...request }, answer);
  }

  async redo(request: Partial<TakeBackRequest> = {}): Promise<Said> {
    return this.#takeBack({ kind: "redo", isAgreed: true, ...request });
  }

  async #takeBack(request: TakeBackRequest, answer?: boolean): Promise<Said> {
    const out: string[] = [];
    const err: string[] = [];
    const code = await takeBack(
      {
        store: this.store,
        console: {
          out: (line) => out.push(line),
          error: (line) => err.push(line),
          ask: answer === undefined ? undefined : async () => answer,
        },
        freshen: async () => {
          this.keeper.freshen();
        },
      },
      request,
    );
    return { code, out: out.join("\n"), err: err.join("\n") };
  }

  steps(): Record<string, unknown>[] {
    return this.store.records
      .steps()
      .map((step) => JSON.parse(JSON.stringify(stepJson(this.store, step, true))) as Record<string, unknown>);
  }

  /** Every path with its kind, mode and content; what git has stored is left to `git fsck`. */
  tree(): Map<string, string> {
    return treeState(this.root);
  }

  [Symbol.dispose](): void {
    this.store.close();
    fs.rmSync(this.home, { recursive: true, force: true });
  }
}

const GIT_AUTHOR = {
  GIT_AUTHOR_NAME: "a",
  GIT_AUTHOR_EMAIL: "a@example.org",
  GIT_COMMITTER_NAME: "a",
  GIT_COMMITTER_EMAIL: "a@example.org",
};

export function treeState(root: string, below = ""): Map<string, string> {
  const found = new Map<string, string>();
  const folder = Buffer.from(below === "" ? root : `${root}/${below}`, "latin1");
  for (const raw of fs.readdirSync(folder, { encoding: "buffer" })) {
    const name = below === "" ? raw.toString("latin1") : `${below}/${raw.toString("latin1")}`;
    if (/(^|\/)\.git\/objects$/.test(name)) continue;
    const place = Buffer.from(`${root}/${name}`, "latin1");
    const stat = fs.lstatSync(place);
    const mode = (stat.mode & 0o7777).toString(8);
    if (stat.isDirectory()) {
      found.set(name, `folder ${mode}`);
      for (const [path, state] of treeState(root, name)) found.set(path, state);
    } else if (stat.isSymbolicLink())
      found.set(name, `link ${fs.readlinkSync(place, { encoding: "buffer" }).toString("latin1")}`);
    else found.set(name, `file ${mode} ${Bun.hash(fs.readFileSync(place))}`);
  }
  return found;
}
