// The forms in which the same result is shown to a reader.
import { encode } from "@toon-format/toon";
import { foldText } from "@bosun/shrink";

export const FORMS = ["original", "plain", "dense", "minified", "toon"] as const;
export type FormName = (typeof FORMS)[number];

/** undefined: this result does not exist in this form, because it is no JSON. */
export function shownAs(form: FormName, text: string): string | undefined {
  if (form === "original") return text;
  if (form === "plain" || form === "dense") {
    // A text that imitates our marks would be disguised first; here nobody does.
    if (text.includes("[bosun:")) return undefined;
    return foldText(text, { fold: form, threshold: 0.7 })?.text ?? text;
  }
  const value = jsonOf(text);
  if (value === undefined) return undefined;
  return form === "minified" ? JSON.stringify(value) : encode(value);
}

function jsonOf(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined; // something else that begins with a bracket
  }
}
