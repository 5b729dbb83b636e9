// JSON without the white space of its printer. Needs no mark: it is the same JSON.
import { isCompact, parseDocument, printDocument, readLayout, writeLayout } from "../json-document.ts";
import { parseJson } from "../json-parse.ts";
import { COMPACT } from "../json-syntax.ts";
import { UnfoldError } from "./form.ts";
import type { Form } from "./form.ts";

export const minifiedJson: Form = {
  name: "minified",
  fold(text) {
    const document = parseDocument(text);
    if (document === undefined || isCompact(document)) return undefined;
    const { nodes, lines } = document;
    const body = printDocument({ nodes, lines, style: COMPACT });
    return body.length < text.length ? { phrase: "", body, layout: writeLayout(document) } : undefined;
  },
  unfold({ body, layout }) {
    const printed = readLayout(layout);
    const nodes = (printed.lines ? body.split("\n") : [body]).map((line) => {
      const parsed = parseJson(line);
      if (parsed === undefined) throw new UnfoldError("not JSON");
      return parsed.node;
    });
    return printDocument({ ...printed, nodes });
  },
};
