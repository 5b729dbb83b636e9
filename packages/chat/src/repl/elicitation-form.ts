// A server asks the person something in the middle of a call: a form of simple fields. Declined on anything but answers,
// and what does not fit a field is asked for again, not sent.
import { isObject } from "@bosun/mcp";
import type { ElicitAnswer, Json, JsonObject } from "@bosun/mcp";
import { framedText } from "../screen/untrusted-text.ts";
import type { TerminalPrompts } from "../screen/terminal-prompts.ts";
import { safeLine } from "../screen/terminal-view.ts";
import type { Terminal } from "../screen/terminal.ts";

const MOST_FIELDS = 40;

export async function askForm(
  terminal: Terminal,
  prompts: TerminalPrompts,
  alias: string,
  params: JsonObject,
  signal: AbortSignal,
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
  // Whoever asked may have gone by the time the person looks up.
  const withdrawn = (): void => prompts.withdraw();
  signal.addEventListener("abort", withdrawn, { once: true });
  try {
    if (!(await prompts.confirm(`${frames.bottom}answer it?`)) || signal.aborted) return { action: "decline" };
    const content = await askFields(terminal, prompts, schema, signal);
    return content === undefined ? { action: "cancel" } : { action: "accept", content };
  } finally {
    signal.removeEventListener("abort", withdrawn);
  }
}

async function askFields(
  terminal: Terminal,
  prompts: TerminalPrompts,
  schema: JsonObject,
  signal: AbortSignal,
): Promise<JsonObject | undefined> {
  const properties = isObject(schema["properties"]) ? schema["properties"] : {};
  const required = Array.isArray(schema["required"]) ? schema["required"] : [];
  const content: JsonObject = {};
  for (const [name, field] of Object.entries(properties).slice(0, MOST_FIELDS)) {
    if (!isObject(field)) continue;
    const isRequired = required.includes(name);
    for (;;) {
      const said = await prompts.text(`  ${safeLine(promptFor(name, field, isRequired))} `);
      if (said === undefined || signal.aborted) return undefined;
      const value = said.trim() === "" ? field["default"] : valueOf(said.trim(), field);
      if (value !== undefined) content[name] = value;
      if (value !== undefined || (said.trim() === "" && !isRequired)) break;
      terminal.line(`  ${said.trim() === "" ? "this one is needed" : "that does not fit"} (Ctrl-C cancels)`);
    }
  }
  return content;
}

function promptFor(name: string, field: JsonObject, isRequired: boolean): string {
  const title = typeof field["title"] === "string" ? field["title"] : name;
  const choices = choicesOf(field).map(({ value, label }) => (label === value ? value : `${value} = ${label}`));
  const listed = choices.length === 0 ? "" : ` (${choices.join(" | ")})`;
  const kind = field["type"] === "boolean" ? " (yes/no)" : "";
  const fallback = field["default"] === undefined ? "" : ` [${JSON.stringify(field["default"])}]`;
  return `${title}${listed}${kind}${fallback}${isRequired || fallback !== "" ? "" : " [optional]"}:`;
}

// `enum` with or without names beside it, or `oneOf` with a title each: three revisions, three ways.
function choicesOf(field: JsonObject): { value: string; label: string }[] {
  if (Array.isArray(field["oneOf"])) {
    return field["oneOf"]
      .filter(isObject)
      .map((one) => ({ value: String(one["const"]), label: String(one["title"] ?? one["const"]) }));
  }
  const values = Array.isArray(field["enum"]) ? field["enum"].map(String) : [];
  const names = Array.isArray(field["enumNames"]) ? field["enumNames"].map(String) : [];
  return values.map((value, place) => ({ value, label: names[place] ?? value }));
}

/** Undefined: it does not fit. */
function valueOf(said: string, field: JsonObject): Json | undefined {
  const choices = choicesOf(field);
  if (choices.length > 0) {
    return choices.find(({ value, label }) => value === said || label.toLowerCase() === said.toLowerCase())?.value;
  }
  switch (field["type"]) {
    case "boolean":
      if (/^(?:y|yes|true|1)$/i.test(said)) return true;
      return /^(?:n|no|false|0)$/i.test(said) ? false : undefined;
    case "number":
    case "integer":
      return numberOf(said, field);
    case "array":
      return said
        .split(",")
        .map((part) => part.trim())
        .filter((part) => part !== "");
    default: {
      const { minLength, maxLength } = field;
      const isShort = typeof minLength === "number" && said.length < minLength;
      const isLong = typeof maxLength === "number" && said.length > maxLength;
      return isShort || isLong ? undefined : said;
    }
  }
}

function numberOf(said: string, { type, minimum, maximum }: JsonObject): number | undefined {
  const number = Number(said);
  if (!Number.isFinite(number) || (type === "integer" && !Number.isInteger(number))) return undefined;
  if (typeof minimum === "number" && number < minimum) return undefined;
  return typeof maximum === "number" && number > maximum ? undefined : number;
}
