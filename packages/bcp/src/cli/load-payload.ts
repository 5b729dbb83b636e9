// The payload that a reading command is about, decoded, with errors a person can act on.

import type { FlagValues } from "@bosun/platform/flags";
import { isUtf8 } from "node:buffer";
import { DecodeError, explainDecode } from "../bcp-errors.ts";
import { blake3 } from "../blake3.ts";
import { createMemoryStore, fromHex, toHex } from "../content-store.ts";
import type { ContentStore } from "../content-store.ts";
import { runAtOnce } from "../cooperative-work.ts";
import { JsonError, jsonSteps, lineAndColumn, NO_NODE } from "../json-document.ts";
import { readInput, readPayload } from "./file-access.ts";
import { CliFailure } from "./io.ts";
import type { BcpIo } from "./io.ts";
import { osText } from "./os-error.ts";
import { walkPayload } from "./repeatable-walk.ts";
import type { Walked } from "./repeatable-walk.ts";

export type Loaded = Omit<Walked, "trailingBytes"> & { readonly file: string; readonly payload: Uint8Array };

/** Reads and decodes `file`. A DecodeError comes out as it is: commands word it differently. */
export async function load(io: BcpIo, file: string, parsed: FlagValues): Promise<Loaded> {
  const payload = await readPayload(io, file).catch((error: unknown) => {
    throw new CliFailure(`cannot read ${file}: ${osText(error)}`);
  });
  const storeFile = parsed.text("store");
  const store = storeFile === undefined ? undefined : await readStore(io, storeFile);
  const { trailingBytes, ...decoded } = await walkPayload(payload, {
    ...(store ? { store } : {}),
    references: parsed.has("strict-references") ? "store" : "in-file",
    trailingData: parsed.has("lenient") ? "ignore" : "error",
    limits: io.limits ?? {},
    ...(io.signal ? { signal: io.signal } : {}),
  });
  if (trailingBytes > 0) await io.stderr(`warning: ${trailingBytes} bytes after END ignored\n`);
  return { ...decoded, file, payload };
}

/** The same for commands that have nothing to say about a broken file but that it is broken. */
export async function loadOrFail(io: BcpIo, file: string, parsed: FlagValues): Promise<Loaded> {
  try {
    return await load(io, file, parsed);
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    const facts = decodeFacts(error);
    throw new CliFailure(`failed to decode ${file}: ${error.message}`, { ...adviceOn(error), facts });
  }
}

/** What the error means, and the option that helps. */
export function adviceOn(error: DecodeError): Pick<CliFailure, "note" | "option"> {
  return { note: explainDecode(error), option: HELPFUL_OPTIONS[error.code] };
}

const HELPFUL_OPTIONS: Partial<Record<DecodeError["code"], string>> = {
  TrailingData: "--lenient reads it anyway",
  MissingContentStore: "--store can supply the body",
};

export function decodeFacts(error: DecodeError): Record<string, unknown> {
  return {
    code: error.code,
    ...(error.headerFault ? { headerFault: error.headerFault } : {}),
    offset: error.offset,
    ...(error.unpackedOffset === undefined ? {} : { unpackedOffset: error.unpackedOffset }),
    ...(error.block === undefined ? {} : { block: error.block }),
    ...(error.hash ? { hash: toHex(error.hash) } : {}),
  };
}

async function readStore(io: BcpIo, file: string): Promise<ContentStore> {
  const bytes = await readInput(io, file).catch((error: unknown) => {
    throw new CliFailure(`cannot read ${file}: ${osText(error)}`);
  });
  const store = createMemoryStore();
  for (const [hash, body] of storeEntries(bytes, file)) {
    // The decoder trusts its store, so what comes from outside is checked here.
    if (toHex(blake3(body)) !== hash)
      throw new CliFailure(`bad store ${file}: the body under ${hash} has another hash`);
    store.put(body);
  }
  return store;
}

function* storeEntries(bytes: Uint8Array, file: string): Generator<[string, Uint8Array]> {
  if (!isUtf8(bytes)) throw new CliFailure(`cannot read ${file}: stream did not contain valid UTF-8`);
  try {
    const json = runAtOnce(jsonSteps(bytes));
    if (json.kind(json.root) !== "object") throw new JsonError("expected an object of hash to body", json.root);
    for (let key = json.first(json.root); key !== NO_NODE; key = json.next(json.end(json.valueOf(key)))) {
      const value = json.valueOf(key);
      const body = json.kind(value) === "string" ? fromHex(json.utf8(value)) : undefined;
      if (!body) throw new JsonError("expected a body in hex", value);
      yield [json.text(key).toLowerCase(), body];
    }
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    const { line, column } = lineAndColumn(bytes, error.at);
    throw new CliFailure(`bad store ${file}: ${error.message} at line ${line} column ${column}`);
  }
}
