// Real commands behind a real gate, in a sandbox as the engine builds one: bubblewrap, without its own network namespace.
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { findGateTools, openNetwork, parseRule } from "@bosun/network";
import type {
  AskHost,
  CallReport,
  HostApprovals,
  Limits,
  Network,
  NetworkEvent,
  NetworkRule,
  NetworkSession,
  PersonOptions,
  Resolve,
  UnknownHosts,
} from "@bosun/network";

const tools = findGateTools();

/** Why nothing here can be tried on this machine; undefined when it can. */
export const missing = "missing" in tools ? `(skipped: ${tools.missing} is not there)` : undefined;

export type TestOptions = {
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
  readonly unknownHosts?: UnknownHosts;
  readonly ask?: AskHost;
  readonly approvals?: HostApprovals;
  readonly resolve?: Resolve;
  readonly limits?: Partial<Limits>;
  readonly person?: PersonOptions;
  readonly record?: (event: NetworkEvent) => void;
};

export type Ran = CallReport & { readonly code: number; readonly out: string; readonly err: string };

export type RunOptions = {
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
  /** Words for bubblewrap, such as further mounts. */
  readonly mounts?: readonly string[];
};

export class TestNetwork implements AsyncDisposable {
  readonly root: string;
  /** The commands' own folder, writable, and their HOME. */
  readonly home: string;
  readonly network: Network;
  readonly session: NetworkSession;
  readonly events: NetworkEvent[] = [];
  readonly logged: string[] = [];
  readonly #waiting = new Set<(event: NetworkEvent) => void>();
  #calls = 0;

  constructor(options: TestOptions = {}) {
    this.root = mkdtempSync(path.join(tmpdir(), "bosun-net-"));
    this.home = path.join(this.root, "home");
    mkdirSync(this.home);
    mkdirSync(path.join(this.root, "gates"), { mode: 0o700 });
    const network = openNetwork({
      allow: (options.allow ?? []).map(rule),
      deny: (options.deny ?? []).map(rule),
      unknownHosts: options.unknownHosts ?? "ask",
      folder: path.join(this.root, "gates"),
      person: options.person ?? { home: undefined, path: "", writable: [] },
      approvals: options.approvals ?? { has: () => false, remember: () => undefined },
      record: (event) => {
        options.record?.(event);
        this.events.push(event);
        for (const look of this.#waiting) look(event);
      },
      log: (message) => this.logged.push(message),
      ...(options.resolve === undefined ? {} : { resolve: options.resolve }),
      ...(options.limits === undefined ? {} : { limits: options.limits }),
    });
    if ("unusable" in network) throw new Error(network.unusable);
    this.network = network;
    this.session = this.open("session", options.ask);
  }

  open(id: string, ask?: AskHost): NetworkSession {
    return this.network.session({ id, ask });
  }

  /** A shell text to its end, as one call. */
  run(text: string, options: RunOptions = {}): Promise<Ran> {
    return this.runIn(this.session, text, options);
  }

  async runIn(session: NetworkSession, text: string, options: RunOptions = {}): Promise<Ran> {
    const call = this.nextCall();
    session.begin(call);
    const child = await this.spawn(session, text, options);
    const [out, err, code] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
      child.exited,
    ]);
    return { code, out, err, ...session.end(call) };
  }

  /** Resolves with the first event that fits, also one that is on record already. */
  seen(fits: (event: NetworkEvent) => boolean): Promise<NetworkEvent> {
    const known = this.events.find(fits);
    if (known !== undefined) return Promise.resolve(known);
    return new Promise((resolve) => {
      const look = (event: NetworkEvent): void => {
        if (!fits(event)) return;
        this.#waiting.delete(look);
        resolve(event);
      };
      this.#waiting.add(look);
    });
  }

  nextCall(): string {
    this.#calls += 1;
    return `call-${this.#calls}`;
  }

  async spawn(session: NetworkSession, text: string, { env, mounts, input }: RunOptions = {}) {
    const { prefix, files } = await session.commandNetwork();
    const words = [...prefix, ...this.sandbox(mounts), ...files.flatMap(({ at, file }) => ["--ro-bind", file, at])];
    return Bun.spawn([...words, "--", "/bin/bash", "-c", text], {
      cwd: "/",
      env: { PATH: process.env["PATH"] ?? "", HOME: this.home, LC_ALL: "C", ...env },
      stdin: input === undefined ? "ignore" : new Blob([input]),
      stdout: "pipe",
      stderr: "pipe",
    });
  }

  /** Everything readable but the gates, as an engine's boundary would have it; the home writable. */
  sandbox(mounts: readonly string[] = []): string[] {
    if ("missing" in tools) throw new Error(missing);
    const isRoot = process.getuid?.() === 0;
    return [
      tools.bwrap,
      ...(isRoot ? ["--cap-drop", "ALL"] : ["--unshare-user"]),
      ..."--unshare-pid --unshare-ipc --unshare-uts --die-with-parent --ro-bind / / --dev /dev --proc /proc".split(" "),
      "--tmpfs",
      path.join(this.root, "gates"),
      "--bind",
      this.home,
      this.home,
      ...mounts,
      "--chdir",
      this.home,
    ];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.network.close();
    rmSync(this.root, { recursive: true, force: true });
  }
}

export function rule(text: string): NetworkRule {
  const parsed = parseRule(text);
  if (!parsed.ok) throw new Error(`${text}: ${parsed.problem.message}`);
  return parsed.rule;
}

/** An HTTP server of this machine that says its name; an alias leads to it. */
export function upstream(
  says: string,
  redirects: Readonly<Record<string, string>> = {},
): { readonly port: number; readonly seen: string[]; [Symbol.dispose](): void } {
  const seen: string[] = [];
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: (request) => {
      const asked = URL.parse(request.url)?.pathname ?? ""; // a CONNECT has none
      seen.push(`${request.method} ${request.headers.get("host")} ${asked}`);
      const to = redirects[asked];
      return to === undefined ? new Response(says) : Response.redirect(to);
    },
  });
  return { port: server.port ?? 0, seen, [Symbol.dispose]: () => void server.stop(true) };
}
