// `@path` and `@alias:uri` in what a person writes → the file itself behind the words: text in full as far as the window bears it, a folder as
// its names, a picture for models that see. A word with an @ that names nothing stays a word.
import { readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import path from "node:path";
import { headAndTail, resultLimits } from "../conversation/truncate-result.ts";
import { contentsOfResource } from "../servers/prompts-and-resources.ts";
import type { Server } from "../servers/mcp-server.ts";
import { sizeText } from "../servers/result-text.ts";
import type { ChatState } from "../turn/chat-state.ts";

const MAX_FILE_BYTES = 10 * 1024 * 1024;
const MAX_IMAGE_BYTES = 8 * 1024 * 1024;
const MOST_NAMES = 500;
const IMAGES: Readonly<Record<string, string>> = {
  ".png": "image/png",
  ".jpg": "image/jpeg",
  ".jpeg": "image/jpeg",
  ".gif": "image/gif",
  ".webp": "image/webp",
};
const MENTION = /(?<=^|\s)@(?:"([^"]+)"|([^\s"@]+))/g;

export type Attached = {
  /** The words, and behind them what they name. */
  text: string;
  /** Data URLs. */
  images: string[];
  /** For the person: what was attached, and what could not be. */
  notes: string[];
};

export type AttachOptions = {
  cwd: string;
  home: string;
  /** The part of the text that a person typed: what came from elsewhere names no files. */
  typed?: string;
  /** Something in it was pasted: it may name files of this folder only. */
  hasPaste?: boolean;
};

export async function withAttachments(text: string, chat: ChatState, options: AttachOptions): Promise<Attached> {
  const attached: Attached = { text, images: [], notes: [] };
  const names = [...(options.typed ?? text).matchAll(MENTION)].map(([, quoted, bare = ""]) => quoted ?? bare);
  for (const written of new Set(names)) {
    const [, alias = "", uri = ""] = /^([a-z][a-z0-9_-]*):(.+)$/.exec(written) ?? [];
    const server = chat.servers.get(alias);
    if (server?.state === "ready") {
      // What was pasted asks no server for anything.
      if (options.hasPaste !== true) await attachResource(written, server, uri, chat, attached);
      continue;
    }
    const found = existing(written, options);
    if (found !== undefined) attachFile(found.name, found.file, chat, attached);
  }
  return attached;
}

/** Behind a name there may be a full stop or a bracket of the sentence. */
function existing(
  written: string,
  { cwd, home, hasPaste = false }: AttachOptions,
): { name: string; file: string } | undefined {
  for (const name of [written, written.replace(/[.,;:!?)\]]+$/, "")]) {
    const file = path.resolve(cwd, name.startsWith("~/") ? path.join(home, name.slice(2)) : name);
    if (name === "" || statSync(file, { throwIfNoEntry: false }) === undefined) continue;
    if (hasPaste && !isWithin(cwd, file)) return undefined;
    return { name, file };
  }
  return undefined;
}

function isWithin(folder: string, file: string): boolean {
  const [root, target] = [realpathSync(folder), realpathSync(file)];
  return target === root || target.startsWith(`${root}/`);
}

function attachFile(name: string, file: string, chat: ChatState, attached: Attached): void {
  try {
    const facts = statSync(file);
    if (facts.isDirectory()) return attachFolder(name, file, attached);
    if (!facts.isFile()) return void attached.notes.push(`${name} is neither a file nor a folder: not attached`);
    const type = IMAGES[path.extname(file).toLowerCase()];
    if (type !== undefined) return attachImage(name, file, { type, bytes: facts.size }, chat, attached);
    if (facts.size > MAX_FILE_BYTES) return void attached.notes.push(`${name} is too large: not attached`);
    const content = readFileSync(file, "utf8");
    if (content.includes("\0")) return void attached.notes.push(`${name} is not text: not attached`);
    attached.text += `\n\n[file ${name}]\n${fitting(content, chat).replace(/\n$/, "")}\n[end file]`;
    attached.notes.push(`attached ${name} (${sizeText(facts.size)})`);
  } catch (error) {
    attached.notes.push(`${name} is not attached: ${error instanceof Error ? error.message : String(error)}`);
  }
}

async function attachResource(
  name: string,
  server: Server,
  uri: string,
  chat: ChatState,
  attached: Attached,
): Promise<void> {
  try {
    const { text, images } = contentsOfResource(await server.readResource(uri));
    attached.text += `\n\n[resource ${name}]\n${fitting(text, chat).replace(/\n$/, "")}\n[end resource]`;
    if (chat.model.settings.vision) attached.images.push(...images);
    attached.notes.push(`attached ${name} (${sizeText(Buffer.byteLength(text))})`);
    chat.approvalPolicy.taintByServer(server);
  } catch (error) {
    attached.notes.push(`${name} is not attached: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function attachFolder(name: string, folder: string, attached: Attached): void {
  const entries = readdirSync(folder, { withFileTypes: true }).sort((left, right) => (left.name < right.name ? -1 : 1));
  const names = entries.slice(0, MOST_NAMES).map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name));
  const more = entries.length > MOST_NAMES ? [`… ${entries.length - MOST_NAMES} more`] : [];
  attached.text += `\n\n[folder ${name}]\n${[...names, ...more].join("\n")}\n[end folder]`;
  attached.notes.push(`attached ${name} (${entries.length} names)`);
}

function attachImage(
  name: string,
  file: string,
  { type, bytes }: { type: string; bytes: number },
  chat: ChatState,
  attached: Attached,
): void {
  const { model } = chat;
  if (!model.settings.vision)
    return void attached.notes.push(
      `${name} is not attached: ${model.name} sees no pictures (vision = true in its settings)`,
    );
  if (bytes > MAX_IMAGE_BYTES) return void attached.notes.push(`${name} is too large a picture: not attached`);
  attached.images.push(`data:${type};base64,${readFileSync(file).toString("base64")}`);
  attached.text += `\n\n[picture ${name}]`;
  attached.notes.push(`attached ${name} (${sizeText(bytes)})`);
}

// As a tool's result: what does not fit can be read on.
function fitting(content: string, { settings, model, results }: ChatState): string {
  const { perResult } = resultLimits(settings.context.maxToolResultChars, model.window);
  return content.length <= perResult ? content : headAndTail(content, perResult, results.keepText(content));
}
