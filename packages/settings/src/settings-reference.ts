// The settings table as a page: Markdown for docs/, generated so that it cannot be stale.
import type { Field } from "./field.ts";
import { SETTINGS } from "./settings-table.ts";

/** `flags`: by key (`serve.port`), the flag that says the same. */
export function settingsReference(flags: ReadonlyMap<string, string> = new Map()): string {
  const parts = [
    "# Settings",
    "",
    "Read from `--config FILE`, else `$BOSUN_CONFIG`, else `$XDG_CONFIG_HOME/bosun/config.toml` (or `config.json` beside it).",
    "A key that is not listed here is an error with line and column.",
    "Keys marked ◆ may also stand in a project's `.bosun.toml`, where they can only make things stricter.",
    "",
  ];
  if (SETTINGS.shape.kind === "group") parts.push(...section("", SETTINGS.shape.fields, "", flags));
  return `${parts
    .join("\n")
    .replace(/\n{3,}/g, "\n\n")
    .trimEnd()}\n`;
}

function section(
  name: string,
  fields: Readonly<Record<string, Field<unknown>>>,
  doc: string,
  flags: ReadonlyMap<string, string>,
): string[] {
  const lines: string[] = [];
  if (name !== "") lines.push(`## \`${name}\``, "");
  if (doc !== "") lines.push(doc, "");
  const values = Object.entries(fields).filter(([, field]) => field.shape.kind === "value");
  if (values.length > 0) {
    lines.push("| key | value | default | meaning |", "| --- | --- | --- | --- |");
    for (const [key, field] of values) lines.push(row(key, field, flags.get(`${bareName(name)}.${key}`)));
    lines.push("");
  }
  for (const [key, field] of Object.entries(fields)) lines.push(...nested(key, field, name, flags));
  return lines;
}

function nested(key: string, field: Field<unknown>, outer: string, flags: ReadonlyMap<string, string>): string[] {
  const bare = bareName(outer);
  const name = bare === "" ? key : `${bare}.${key}`;
  const { shape } = field;
  if (shape.kind === "group") return section(`[${name}]`, shape.fields, field.doc, flags);
  if (shape.kind === "tables" && shape.of.shape.kind === "group") {
    return section(
      `[[${name}]]`,
      shape.of.shape.fields,
      `${field.doc}${field.tighten === undefined ? "" : " ◆ (ask and deny)"} ${shape.of.doc}`,
      flags,
    );
  }
  if (shape.kind !== "map") return [];
  const inner = `[${name}.<${shape.keyName}>]`;
  if (shape.of.shape.kind === "group")
    return section(inner, shape.of.shape.fields, `${field.doc} ${shape.of.doc}`, flags);
  return [`## \`[${name}]\``, "", `${field.doc} Each key is a ${shape.keyName}, each value ${shape.of.type}.`, ""];
}

/** `[serve]` → `serve` */
function bareName(section: string): string {
  return section.replace(/^\[|\]$/g, "");
}

function row(key: string, field: Field<unknown>, flag: string | undefined): string {
  const mark = field.tighten === undefined ? "" : " ◆";
  const fallback =
    field.defaultText === "required" ? "required" : field.defaultText === "" ? "" : `\`${field.defaultText}\``;
  return `| \`${key}\`${mark} | ${cell(field.type)} | ${cell(fallback)} | ${cell(field.doc)}${flag === undefined ? "" : ` (\`--${flag}\`)`} |`;
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll("\n", " ");
}
