// The settings table as a page: Markdown for docs/, generated so that it cannot be stale.
import type { Field } from "./field.ts";
import { SETTINGS } from "./settings-table.ts";

export function settingsReference(): string {
  const parts = [
    "# Settings",
    "",
    "Read from `--config FILE`, else `$BOSUN_CONFIG`, else `$XDG_CONFIG_HOME/bosun/config.toml` (or `config.json` beside it).",
    "A key that is not listed here is an error with line and column.",
    "Keys marked ◆ may also stand in a project's `.bosun.toml`, where they can only make things stricter.",
    "",
  ];
  if (SETTINGS.shape.kind === "group") parts.push(...section("", SETTINGS.shape.fields, ""));
  return `${parts
    .join("\n")
    .replace(/\n{3,}/g, "\n\n")
    .trimEnd()}\n`;
}

function section(name: string, fields: Readonly<Record<string, Field<unknown>>>, doc: string): string[] {
  const lines: string[] = [];
  if (name !== "") lines.push(`## \`${name}\``, "");
  if (doc !== "") lines.push(doc, "");
  const values = Object.entries(fields).filter(([, field]) => field.shape.kind === "value");
  if (values.length > 0) {
    lines.push("| key | value | default | meaning |", "| --- | --- | --- | --- |");
    for (const [key, field] of values) lines.push(row(key, field));
    lines.push("");
  }
  for (const [key, field] of Object.entries(fields)) lines.push(...nested(key, field, name));
  return lines;
}

function nested(key: string, field: Field<unknown>, outer: string): string[] {
  const bare = outer.replace(/^\[|\]$/g, "");
  const name = bare === "" ? key : `${bare}.${key}`;
  const { shape } = field;
  if (shape.kind === "group") return section(`[${name}]`, shape.fields, field.doc);
  if (shape.kind === "tables" && shape.of.shape.kind === "group") {
    return section(
      `[[${name}]]`,
      shape.of.shape.fields,
      `${field.doc}${field.tighten === undefined ? "" : " ◆ (ask and deny)"} ${shape.of.doc}`,
    );
  }
  if (shape.kind !== "map") return [];
  const inner = `[${name}.<${shape.keyName}>]`;
  if (shape.of.shape.kind === "group") return section(inner, shape.of.shape.fields, `${field.doc} ${shape.of.doc}`);
  return [`## \`[${name}]\``, "", `${field.doc} Each key is a ${shape.keyName}, each value ${shape.of.type}.`, ""];
}

function row(key: string, field: Field<unknown>): string {
  const mark = field.tighten === undefined ? "" : " ◆";
  const fallback =
    field.defaultText === "required" ? "required" : field.defaultText === "" ? "" : `\`${field.defaultText}\``;
  return `| \`${key}\`${mark} | ${cell(field.type)} | ${cell(fallback)} | ${cell(field.doc)} |`;
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll("\n", " ");
}
