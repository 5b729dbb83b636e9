// The text of one rule → the rule, or what is wrong with it, where, and what to write instead.
import { isIP } from "node:net";
import { normaliseHost, reachOf } from "@bosun/platform/hosts";
import { nearest } from "@bosun/platform/flags";
import { PRESETS } from "../presets/preset-names.ts";
import type { NetworkRule } from "./network-rule.ts";

export type ParsedRule =
  { readonly ok: true; readonly rule: NetworkRule } | { readonly ok: false; readonly problem: RuleProblem };

export type RuleProblem = {
  /** Where in the text, from 1. */
  readonly column: number;
  readonly message: string;
};

export function parseRule(text: string): ParsedRule {
  const equals = text.indexOf("=");
  return equals < 0 ? parseHostOrPreset(text) : parseAlias(text, equals);
}

/** One line for a person, pointing at the place. */
export function describeProblem(text: string, { column, message }: RuleProblem): string {
  return `${JSON.stringify(text)}, character ${column}: ${message}`;
}

function parseHostOrPreset(text: string): ParsedRule {
  if (Object.hasOwn(PRESETS, text)) return { ok: true, rule: { kind: "preset", text, name: text } };
  const odd = oddities(text);
  if (odd !== undefined) return odd;
  const colon = text.indexOf(":");
  const written = colon < 0 ? text : text.slice(0, colon);
  const isWildcard = written.startsWith("*.");
  const checked = checkHost(isWildcard ? written.slice(2) : written, isWildcard ? 3 : 1, isWildcard);
  if (typeof checked !== "string") return { ok: false, problem: checked };
  const ports = colon < 0 ? undefined : parsePorts(text, colon + 1);
  if (ports !== undefined && "ok" in ports) return ports;
  return { ok: true, rule: { kind: "host", text, host: checked, isWildcard, ports } };
}

/** What people write in place of a host. */
function oddities(text: string): ParsedRule | undefined {
  if (text === "") return problem(1, "a rule is missing: a host such as example.com, or a preset such as npm");
  const blank = text.search(/\s/);
  if (blank >= 0) return problem(blank + 1, "a rule has no blanks: give each host its own --allow-net");
  const scheme = /^[a-z][a-z0-9+.-]*:\/\//i.exec(text);
  if (scheme !== null) {
    const host = hostOfUrl(text);
    return problem(1, `a URL is no rule${host === undefined ? "" : `: write ${host}`}`);
  }
  const slash = text.indexOf("/");
  if (slash >= 0) return problem(slash + 1, `paths and networks are no rules: write the host alone`);
  const at = text.indexOf("@");
  if (at >= 0) return problem(at + 1, `a rule names no user: write ${text.slice(at + 1) || "the host alone"}`);
  if (text.startsWith("[") || isIP(text) !== 0 || isIP(text.replace(/:\d+$/, "")) !== 0) {
    return problem(1, `an address is no rule: give it a name, such as db=${addressExample(text)}`);
  }
  return undefined;
}

function checkHost(written: string, column: number, isWildcard: boolean): string | RuleProblem {
  if (written === "*" || (isWildcard && written === "")) {
    return { column: 1, message: "* would be every host: use --allow-network for all of the network, or name hosts" };
  }
  const star = written.indexOf("*");
  if (star >= 0) {
    return { column: column + star, message: "a star stands for whole labels, first of all: *.example.com" };
  }
  if (/[^\x21-\x7e]/.test(written)) {
    const found = written.search(/[^\x21-\x7e]/);
    return { column: column + found, message: "a name with other letters is written in its xn-- form" };
  }
  const host = normaliseHost(written);
  if (host === undefined || host.startsWith("[")) {
    return { column: column + firstOdd(written), message: "a host has letters, digits and hyphens between dots" };
  }
  if (isIP(host) !== 0) return { column, message: `an address is no rule: give it a name, such as db=${host}:443` };
  const labels = host.split(".").length;
  if (labels >= 2) return host;
  if (isWildcard) {
    return { column: 1, message: `*.${host} would be too many hosts: at least two labels follow the star` };
  }
  const meant = nearest(host, Object.keys(PRESETS));
  const advice = meant === undefined ? `the presets are ${Object.keys(PRESETS).join(", ")}` : `did you mean ${meant}?`;
  return { column, message: `${host} is no preset, and a host has at least one dot; ${advice}` };
}

function firstOdd(written: string): number {
  const odd = written.search(/[^a-z0-9_.-]/i);
  if (odd >= 0) return odd;
  const label = /(?:^|\.)(?:-|[^.]*-(?:\.|$)|(?=\.|$)|[^.]{64})/i.exec(written);
  return label === null || written === ""
    ? 0
    : Math.min(written.length - 1, label.index + (label[0].startsWith(".") ? 1 : 0));
}

function parsePorts(text: string, start: number): readonly number[] | ParsedRule {
  const ports: number[] = [];
  let at = start;
  for (const word of text.slice(start).split(",")) {
    const port = parsePort(word);
    if (port === undefined) return problem(at + 1, `${JSON.stringify(word)} is no port: ports are 1 to 65535`);
    ports.push(port);
    at += word.length + 1;
  }
  if (ports.length > 16) return problem(start + 1, "at most 16 ports in one rule");
  return [...new Set(ports)];
}

function parseAlias(text: string, equals: number): ParsedRule {
  const blank = text.search(/\s/);
  if (blank >= 0) return problem(blank + 1, "a rule has no blanks");
  const left = text.slice(0, equals);
  const right = text.slice(equals + 1);
  const target = parseTarget(right, equals + 1);
  if (!("address" in target)) return target;
  const colon = left.indexOf(":");
  const name = colon < 0 ? left : left.slice(0, colon);
  const host = normaliseHost(name);
  if (host === undefined || host.startsWith("[") || isIP(host) !== 0) {
    return problem(1 + firstOdd(name), "before = stands a name of letters, digits and hyphens, such as db");
  }
  if (reachOf(host) === "loopback" || host.endsWith(".local")) {
    return problem(1, `${host} is resolved by programs themselves: choose another name, such as db`);
  }
  const port = colon < 0 ? target.port : parsePort(left.slice(colon + 1));
  if (port === undefined) return problem(colon + 2, `${JSON.stringify(left.slice(colon + 1))} is no port`);
  return { ok: true, rule: { kind: "alias", text, host, port, target } };
}

function parseTarget(right: string, start: number): { address: string; port: number } | ParsedRule {
  const [, bracketed, plain, digits = ""] = /^(?:\[([^\]]*)\]|([^:[\]]*)):(.*)$/.exec(right) ?? [];
  const address = bracketed ?? plain;
  if (address === undefined) return problem(start + 1, "after = stand an address and a port, such as 127.0.0.1:5432");
  if (isIP(address) !== (bracketed === undefined ? 4 : 6)) {
    return problem(start + 1, `${JSON.stringify(address)} is no address: an alias leads to an address, not to a name`);
  }
  const port = parsePort(digits);
  if (port !== undefined) return { address, port };
  return problem(
    start + right.length - digits.length + 1,
    `${JSON.stringify(digits)} is no port: ports are 1 to 65535`,
  );
}

function parsePort(word: string): number | undefined {
  if (!/^[1-9]\d{0,4}$/.test(word)) return undefined;
  const port = Number(word);
  return port <= 65_535 ? port : undefined;
}

function hostOfUrl(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const { hostname, port } = new URL(text);
  return hostname === "" ? undefined : `${hostname}${port === "" ? "" : `:${port}`}`;
}

function addressExample(text: string): string {
  if (isIP(text) === 6) return `[${text}]:443`;
  return /:\d+$/.test(text) ? text : `${text}:443`;
}

function problem(column: number, message: string): ParsedRule {
  return { ok: false, problem: { column, message } };
}
