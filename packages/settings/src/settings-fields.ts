// Fields that several sections of the settings share: rules, approvals, servers, names, and how each may be tightened.
import { isSecretName } from "@bosun/platform/secrets";
import { httpUrl } from "@bosun/platform/hosts";
import type { Verdict, Located, RuleSetting } from "@bosun/policy";
import { compileToolPattern, isAlias } from "@bosun/policy";
import type { Node, TableNode } from "./settings-document.ts";
import { at, optional, secret, tightens, value, type Field, type Place } from "./field.ts";
import { group, map, section } from "./table-fields.ts";
import { flag, list, located, oneOf, oneOrMore, seconds, text } from "./value-fields.ts";

const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/;

export const address = (doc: string): Field<string> =>
  text(doc, {
    check: (written) =>
      httpUrl(written) === undefined ? "must be an http:// or https:// address without a password" : undefined,
  });

export const variable = (doc: string): Field<string> =>
  text(doc, { pattern: VARIABLE, hint: "must be the name of an environment variable" });

export const headers = (doc: string): Field<Readonly<Record<string, string>>> =>
  secret(
    map(doc, "name", text("value"), (key) =>
      /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/.test(key) ? undefined : "is not a header's name",
    ),
  );

export const environment = (doc: string): Field<Readonly<Record<string, string>>> =>
  secret(map(doc, "NAME", text("value"), (key) => (VARIABLE.test(key) ? undefined : "is not a variable's name")));

/** Numbers that limit: a project file may only lower them. */
export function lowers(field: Field<number>): Field<number> {
  return tightens(field, (own, project, refuse) => (project > own ? refuse(`may only lower it (${own})`) : project));
}

/** The same where 0 means no limit at all: 0 is then the highest. */
export function lowersFromNone(field: Field<number>): Field<number> {
  return tightens(field, (own, project, refuse) => {
    if (own !== 0 && (project === 0 || project > own)) refuse(`may only lower it (${own})`);
    return project === 0 ? own : project;
  });
}

/** Lists that forbid: a project file may only add. */
export function adds<T>(field: Field<readonly T[]>): Field<readonly T[]> {
  return tightens(field, (own, project) => [...own, ...project]);
}

/** Lists that permit: a project file may only take away. */
export function keepsOnly(field: Field<readonly string[]>): Field<readonly string[]> {
  return tightens(field, (own, project, refuse) => {
    const extra = project.find((one) => !own.includes(one));
    return extra === undefined ? project : refuse(`may only take away, and ${extra} is not there`);
  });
}

/** Lists that choose, where an empty one means everything. */
export function narrows(field: Field<readonly string[]>): Field<readonly string[]> {
  return tightens(field, (own, project, refuse) => {
    if (own.length === 0) return project;
    const extra = project.length === 0 ? "an empty list" : project.find((one) => !own.includes(one));
    return extra === undefined ? project : refuse(`may only choose fewer, and ${extra} is more`);
  });
}

/** Choices with one strict end: a project file may only choose that. */
export function onlyTo<T extends string | boolean>(field: Field<T>, strict: NoInfer<T>): Field<T> {
  return tightens(field, (own, project, refuse) =>
    project === strict || project === own ? project : refuse(`may only set it to ${JSON.stringify(strict)}`),
  );
}

export const locatedList = (doc: string): Field<readonly Located[]> => list(doc, located(text("")));

export function aliasProblem(key: string): string | undefined {
  if (key === "aish" || key === "bosun") return "this name is reserved";
  if (isAlias(key)) return undefined;
  const suggestion = key
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, "-")
    .replace(/__+/g, "_")
    .replace(/^[^a-z]+/, "")
    .slice(0, 24);
  return `an alias is a-z, 0-9, - and _ (no __), begins with a letter and has at most 24 characters${suggestion === "" ? "" : `, such as ${suggestion}`}`;
}

export const server = section(() =>
  group(
    "One MCP server: an address, or a command to start.",
    {
      url: optional(address("Streamable HTTP endpoint.")),
      transport: oneOf("How to talk to `url`; `sse` is the deprecated HTTP+SSE.", ["auto", "http", "sse"], "auto"),
      headers: headers("Extra headers."),
      auth_token: optional(secret(text("Bearer token, written out. Prefer `auth_env`."))),
      auth_env: optional(variable("Environment variable that holds the bearer token.")),
      command: optional(text("Program to start; no shell in between.")),
      args: list("Its arguments.", text("")),
      env: environment("Variables set for it; not those of our own runtime (`BUN_OPTIONS`)."),
      env_pass: list(
        "Variables of ours passed on to it; never `LD_PRELOAD`, `NODE_OPTIONS` and their like.",
        variable(""),
      ),
      cwd: optional(text("Directory to start it in.")),
      enabled: onlyTo(flag("`false`: known, not connected.", true), false),
      trust: onlyTo(
        flag("Its annotations may influence parallel running and retry. Never skips approval.", false),
        false,
      ),
      sends: optional(
        flag(
          "Whether calls of this server can send data elsewhere. Default: yes, unless `url` is on this machine.",
          true,
        ),
      ),
      tools: group("Which of its tools the model sees.", {
        allow: narrows(list("Names or `prefix*`; empty: all.", text(""))),
        deny: adds(list("Names or `prefix*`.", text(""))),
      }),
      connect_timeout_s: optional(seconds("Overrides `mcp.connect_timeout_s`.", 10)),
      call_timeout_s: optional(seconds("Overrides `mcp.call_timeout_s`.", 60)),
      protocol: text('`"auto"`, or a revision such as `"2025-03-26"`.', {
        fallback: "auto",
        pattern: /^(?:auto|\d{4}-\d{2}-\d{2})$/,
        hint: 'must be "auto" or a date',
      }),
      tls_ca: optional(text("File with a private certificate authority.")),
      tls_insecure: flag("Do not check the certificate. Warned about at each connect.", false),
    },
    {
      check: (one, has) => {
        // `[mcp.servers.here] enabled = false` is all there is to say about a server that needs neither.
        const isOnlySwitchedOff = !one.enabled && !has("url") && !has("command");
        if (has("url") === has("command") && !isOnlySwitchedOff) return "needs exactly one of url and command";
        if (has("url") && (has("args") || has("env") || has("cwd")))
          return "args, env and cwd belong to a command, not to a url";
        if (has("command") && (has("headers") || has("auth_token") || has("auth_env")))
          return "headers and auth belong to a url, not to a command";
        return one.command === "" ? "command cannot be empty" : undefined;
      },
    },
  ),
);

export const servers = map("MCP servers by alias.", "alias", server, aliasProblem);

export type Approval = { readonly pattern: Located; readonly verdict: Verdict };

/** `"alias.tool" = true | false | "ask" | "deny"`; unquoted dots make nested tables, which mean the same here. */
export const autoApprove: Field<readonly Approval[]> = tightens(
  value(
    'true, false, "ask" or "deny" per `alias.tool` or `alias.*`',
    'Which tools run without a question. `false` is `"ask"`. A bare `*` is refused.',
    [] as readonly Approval[],
    (node, place) => {
      if (node.kind !== "table") throw at(node.at, place, `${place.name} must be a table`);
      return approvalsIn(node, "", place);
    },
    "",
  ),
  (own, project, refuse) => {
    const allowing = project.find(({ verdict }) => verdict === "allow");
    return allowing === undefined ? [...own, ...project] : refuse(`may not allow ${allowing.pattern.text}`);
  },
);

function approvalsIn(table: TableNode, prefix: string, place: Place): Approval[] {
  return [...table.members.values()].flatMap((member) => {
    const name = prefix === "" ? member.key : `${prefix}.${member.key}`;
    if (member.value.kind === "table") return approvalsIn(member.value, name, place);
    try {
      if (compileToolPattern(name).alias === undefined) throw new Error("a bare * is refused: name the servers");
    } catch (error) {
      // The pattern says what is wrong, this adds where.
      throw at(member.at, place, `${place.name}: ${error instanceof Error ? error.message : name}`);
    }
    return [
      {
        pattern: { text: name, file: place.file, line: member.at.line },
        verdict: verdictOf(member.value, place, name),
      },
    ];
  });
}

function verdictOf(node: Node, place: Place, name: string): Verdict {
  if (node.kind === "boolean") return node.value ? "allow" : "ask";
  if (node.kind === "string" && (node.value === "ask" || node.value === "deny" || node.value === "allow"))
    return node.value;
  throw at(node.at, place, `${place.name}."${name}" must be true, false, "ask" or "deny"`);
}

const ruleFields = group("One rule. Conditions of different kinds must all hold; in a list one is enough.", {
  name: optional(text("Shown when it decides.")),
  decide: {
    ...oneOf("What it decides. A deny always wins; otherwise the most specific rule.", ["allow", "ask", "deny"], "ask"),
    defaultText: "required",
  },
  reason: optional(text("Said to the person and the model.")),
  tool: oneOrMore("`alias.tool`, `alias.prefix*`, `alias.*`; `*` for ask and deny.", text("")),
  arguments: map(
    "Path into the arguments (`path`, `options.force`, `edits.text`) and patterns for the value.",
    "path",
    oneOrMore("", text("")),
    () => undefined,
  ),
  command: oneOrMore(
    "Leading words of a command. Deny and ask see through flags, paths, `env`, `sudo`, `sh -c`; allow means exactly these words.",
    text(""),
  ),
  path: oneOrMore("Doublestar pattern; a folder covers what is in it (for allow write `/**`).", text("")),
  access: oneOf("Which access a path rule is about.", ["read", "write", "any"], "any"),
});

/** `[[rules]]` */
export const rules: Field<readonly RuleSetting[]> = tightens(
  {
    ...value(
      "list of tables",
      "Rules for tools, arguments, commands and paths.",
      [] as readonly RuleSetting[],
      readRules,
      "",
    ),
    shape: { kind: "tables", of: ruleFields },
  },
  (own, project, refuse) => {
    const allowing = project.find(({ decide }) => decide === "allow");
    return allowing === undefined
      ? [...own, ...project]
      : refuse(`may not have a rule that allows (line ${allowing.line})`);
  },
);

function readRules(node: Node, place: Place): readonly RuleSetting[] {
  if (node.kind !== "list") throw at(node.at, place, `${place.name} must be tables: [[${place.name}]]`);
  return node.items.map((item, i) => {
    const read = ruleFields.read(item, { ...place, name: `${place.name}[${i + 1}]` });
    return {
      name: read.name,
      decide: read.decide,
      reason: read.reason,
      tools: read.tool,
      arguments: read.arguments,
      commands: read.command,
      paths: read.path,
      access: read.access,
      file: place.file,
      line: item.at.line,
    };
  });
}

/** Literal secrets in a file that others can read deserve a warning. */
export function secretsIn(node: TableNode, fields: Readonly<Record<string, Field<unknown>>>, prefix = ""): string[] {
  return [...node.members.values()].flatMap((member) => {
    const field = fields[member.key];
    const name = prefix === "" ? member.key : `${prefix}.${member.key}`;
    if (field === undefined) return [];
    if (field.isSecret) return member.value.kind === "table" ? headerSecrets(member.value, name) : [name];
    if (field.shape.kind === "group" && member.value.kind === "table")
      return secretsIn(member.value, field.shape.fields, name);
    if (field.shape.kind === "map" && member.value.kind === "table" && field.shape.of.shape.kind === "group") {
      const { fields: inner } = field.shape.of.shape;
      return [...member.value.members.values()].flatMap((one) =>
        one.value.kind === "table" ? secretsIn(one.value, inner, `${name}.${one.key}`) : [],
      );
    }
    return [];
  });
}

function headerSecrets(table: TableNode, name: string): string[] {
  return [...table.members.keys()].filter(isSecretName).map((key) => `${name}.${key}`);
}
