#!/usr/bin/env -S bun --no-env-file --config=/dev/null
// Prints docs/tools.md from the tools' own schemas:
//   node scripts/bun.mjs packages/serve/scripts/tool-tables.ts > docs/tools.md
import { writeSync } from "node:fs";
import { catalogueFor, PROGRAM } from "../src/index.ts";
import type { ToolDefinition } from "../src/index.ts";

type Property = {
  type?: string;
  description?: string;
  default?: unknown;
  enum?: string[];
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  maxItems?: number;
  items?: Property;
};
type Schema = { properties?: Record<string, Property>; required?: string[] };

const HEAD = `# Tools of \`bosun serve\`

Made from the tools' schemas by \`packages/serve/scripts/tool-tables.ts\`; do not edit. \`*\` marks what is required.
Unknown properties are refused everywhere. No name occurs on two surfaces, so any combination can be served
(\`--tools coding,workspace,shell\`).
`;

const SURFACES: [title: string, intro: string, tools: readonly ToolDefinition[]][] = [
  [
    "coding",
    "Flat text. A failure is `[CODE] message` with `isError`. `session` exists over HTTP only.",
    catalogue({ surfaces: ["coding"], transport: "http" }),
  ],
  [
    "coding with `--anthropic-compat`",
    "The combined editor, and grep and glob with the names Claude models know.",
    catalogue({ surfaces: ["coding"], anthropicCompat: true }).filter(
      ({ name }) => !["bash", "task_output"].includes(name),
    ),
  ],
  [
    "workspace",
    'One JSON envelope: `{"ok":true,"data":{…}}` or `{"ok":false,"error":{"code","message","details"}}`. Paths are relative to the workspace.',
    catalogue({ surfaces: ["workspace"] }),
  ],
  [
    "shell",
    "A one-line verdict, the streams as further text, and metadata as structured content.",
    catalogue({ surfaces: ["shell"] }),
  ],
];

export function toolTables(): string {
  const surfaces = SURFACES.map(([title, intro, tools]) => `\n## ${title}\n\n${intro}\n${tools.map(section).join("")}`);
  return `${HEAD}${surfaces.join("")}\n${flagTable()}`;
}

function catalogue(choice: Partial<Parameters<typeof catalogueFor>[0]>): readonly ToolDefinition[] {
  return catalogueFor({ surfaces: [], anthropicCompat: false, readOnly: false, disabledTools: [], ...choice });
}

function section({ name, description, input, readOnly }: ToolDefinition): string {
  const { properties = {}, required = [] } = input.json as Schema;
  const rows = Object.entries(properties).map(([property, schema]) => {
    const cells = [
      `\`${property}\`${required.includes(property) ? "*" : ""}`,
      typeOf(schema),
      defaultOf(schema),
      notesOf(schema),
    ];
    return `| ${cells.join(" | ")} |\n`;
  });
  const kind = readOnly ? " Stays under `--read-only`." : "";
  return `\n### \`${name}\`\n\n${description}${kind}\n\n| parameter | type | default | notes |\n| --- | --- | --- | --- |\n${rows.join("")}`;
}

function typeOf({ type = "", items }: Property): string {
  return items === undefined ? type : `array of ${items.type ?? "any"}`;
}

function defaultOf(schema: Property): string {
  return schema.default === undefined ? "" : `\`${JSON.stringify(schema.default)}\``;
}

function notesOf(schema: Property): string {
  const { description = "", minimum, maximum, minLength, maxItems, items } = schema;
  const bounds = minimum === undefined || maximum === undefined ? "" : `${minimum} to ${maximum}`;
  const notes = [
    description,
    schema.enum === undefined ? "" : schema.enum.map((value) => `\`${value}\``).join(", "),
    bounds,
    minLength === undefined ? "" : `at least ${minLength} character`,
    maxItems === undefined ? "" : `at most ${maxItems} items of ${items?.maxLength ?? "any number of"} characters`,
  ];
  return notes
    .filter((note) => note !== "")
    .join("; ")
    .replaceAll("|", "\\|");
}

function flagTable(): string {
  const rows = PROGRAM.flags.map(({ name, value = "", help }) =>
    `| \`--${name}${value === "" ? "" : ` ${value}`}\` | ${help} |\n`.replace(/\|(?=\w)(?=[^`]*`)/g, "\\|"),
  );
  return `\n## Options\n\nEach is also read from \`BOSUN_<NAME>\` (and \`BORIS_<NAME>\`), lists comma-separated; a flag beats its variable, a variable the\n\`[serve]\` table of the settings file.\n\n| option | what it does |\n| --- | --- |\n${rows.join("")}`;
}

if (import.meta.main) writeSync(1, toolTables());
