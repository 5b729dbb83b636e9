// Matching a URI against an RFC 6570 template, without regular expressions: templates are short, URIs are hostile.

export type UriTemplate = { readonly template: string; match(uri: string): Record<string, string> | undefined };

type Part = { literal: string } | { variable: string; slashes: boolean };

export function uriTemplate(template: string): UriTemplate {
  const parts = parse(template);
  return { template, match: (uri) => matchFrom(parts, 0, uri, 0) };
}

function parse(template: string): Part[] {
  const parts: Part[] = [];
  let rest = template;
  while (rest !== "") {
    const open = rest.indexOf("{");
    const close = rest.indexOf("}", open);
    if (open === -1 || close === -1) return [...parts, { literal: rest }];
    if (open > 0) parts.push({ literal: rest.slice(0, open) });
    const expression = rest.slice(open + 1, close);
    // `{+path}` and `{#frag}` may hold slashes, `{name}` may not.
    const reserved = expression.startsWith("+") || expression.startsWith("#");
    const variable = expression.replace(/^[+#./;?&]/, "").replace(/(\*|:\d+)$/, "");
    parts.push({ variable, slashes: reserved || expression.endsWith("*") });
    rest = rest.slice(close + 1);
  }
  return parts;
}

// A variable ends where the next literal first occurs: linear, and what templates in practice mean.
function matchFrom(parts: readonly Part[], index: number, uri: string, at: number): Record<string, string> | undefined {
  const part = parts[index];
  if (part === undefined) return at === uri.length ? {} : undefined;
  if ("literal" in part) {
    return uri.startsWith(part.literal, at) ? matchFrom(parts, index + 1, uri, at + part.literal.length) : undefined;
  }
  const next = parts[index + 1];
  const end = next && "literal" in next ? literalStart(next.literal, index + 2 === parts.length, uri, at) : uri.length;
  const value = end <= at ? "" : uri.slice(at, end);
  if (value === "" || (!part.slashes && value.includes("/"))) return undefined;
  const rest = matchFrom(parts, index + 1, uri, end);
  return rest && { [part.variable]: decoded(value), ...rest };
}

// The last literal must end the URI: `{+path}.txt` takes all of a.txt.txt but its ending.
function literalStart(literal: string, last: boolean, uri: string, at: number): number {
  return last && uri.endsWith(literal) ? uri.length - literal.length : uri.indexOf(literal, at);
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    // not percent-encoding: a URI may hold what it likes
    return value;
  }
}
