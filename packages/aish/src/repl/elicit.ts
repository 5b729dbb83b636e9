// A server asks the person something in the middle of a call: a form of simple fields. Declined on anything but answers.
import { isObject } from "@bosun/mcp";
import type { ElicitAnswer, Json, JsonObject } from "@bosun/mcp";
import { framedText } from "../screen/foreign-text.ts";
import type { TerminalPerson } from "../screen/terminal-person.ts";
import { safeLine } from "../screen/terminal-view.ts";
import type { Terminal } from "../screen/terminal.ts";

export async function askForm(
  terminal: Terminal,
  person: TerminalPerson,
  alias: string,
  params: JsonObject,
): Promise<ElicitAnswer> {
  const { frames, style } = terminal;
  const message = typeof params["message"] === "string" ? params["message"] : "";
  const schema = isObject(params["requestedSchema"]) ? params["requestedSchema"] : undefined;
  terminal.line(
    [
      style.yellow(`${frames.top}${alias} asks`),
      ...framedText(terminal, message.split("\n").slice(0, 20).join("\n")),
    ].join("\n"),
  );
  if (schema === undefined) return { action: "decline" };
  if (!(await person.confirm(`${frames.bottom}answer it?`))) return { action: "decline" };
  const properties = isObject(schema["properties"]) ? schema["properties"] : {};
  const required = Array.isArray(schema["required"]) ? schema["required"] : [];
  const content: JsonObject = {};
  for (const [name, field] of Object.entries(properties)) {
    if (!isObject(field)) continue;
    const said = await person.text(`  ${safeLine(promptFor(name, field, required.includes(name)))} `);
    if (said === undefined) return { action: "cancel" };
    if (said.trim() === "") continue;
    const value = valueOf(said.trim(), field);
    if (value === undefined) return { action: "cancel" };
    content[name] = value;
  }
  return { action: "accept", content };
}

function promptFor(name: string, field: JsonObject, isRequired: boolean): string {
  const title = typeof field["title"] === "string" ? field["title"] : name;
  const choices = Array.isArray(field["enum"]) ? ` (${field["enum"].join(" | ")})` : "";
  const kind = field["type"] === "boolean" ? " (yes/no)" : "";
  return `${title}${choices}${kind}${isRequired ? "" : " [optional]"}:`;
}

function valueOf(said: string, field: JsonObject): Json | undefined {
  switch (field["type"]) {
    case "boolean":
      return /^(?:y|yes|true|1)$/i.test(said);
    case "number":
    case "integer": {
      const number = Number(said);
      return Number.isFinite(number) ? number : undefined;
    }
    default:
      return said;
  }
}
