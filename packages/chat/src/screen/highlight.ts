// One line of code, lightly coloured: strings, comments, numbers, common keywords. By the line and without a grammar;
// the text itself is never changed.
import type { Style } from "./style.ts";

const KEYWORDS = new Set(
  "abstract and as async await break case catch class const continue def default defer del do done elif else elsif end enum esac except export extends false fi final finally fn for foreach from func function go if impl implements import in interface is lambda let local loop match mod module mut namespace new nil none not null or package pass print private protected pub public raise ref return select self static struct super switch then this throw trait true try type typeof undefined union unless until use using var void where while with yield".split(
    " ",
  ),
);
const HASH_COMMENTS =
  /^(?:py|python|sh|bash|zsh|shell|console|rb|ruby|yaml|yml|toml|make|makefile|dockerfile|perl|r|conf|ini)$/;
const SLASH_COMMENTS =
  /^(?:js|jsx|ts|tsx|javascript|typescript|c|cpp|h|java|go|rust|rs|swift|kotlin|scala|php|css|zig|json5|jsonc)$/;
const DASH_COMMENTS = /^(?:sql|lua|haskell|hs)$/;
const MAX_CHARS = 2000;

export function highlight(line: string, language: string, style: Style): string {
  if (!style.hasColor || line.length > MAX_CHARS) return line;
  if (language === "diff" || language === "patch") return diffLine(line, style);
  const token =
    /("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`)|(\/\/.*|#.*|--.*)|\b(\d[\d_.]*)\b|\b([A-Za-z_]\w*)\b/g;
  return line.replace(token, (whole, text?: string, comment?: string, number?: string, word?: string) => {
    if (text !== undefined) return style.green(text);
    if (comment !== undefined) return isComment(comment, language) ? style.dim(comment) : comment;
    if (number !== undefined) return style.cyan(number);
    return word !== undefined && KEYWORDS.has(word) ? style.bold(word) : whole;
  });
}

function isComment(text: string, language: string): boolean {
  if (text.startsWith("//")) return SLASH_COMMENTS.test(language);
  if (text.startsWith("#")) return HASH_COMMENTS.test(language);
  return DASH_COMMENTS.test(language);
}

function diffLine(line: string, style: Style): string {
  if (line.startsWith("+")) return style.green(line);
  if (line.startsWith("-")) return style.red(line);
  return line.startsWith("@@") ? style.cyan(line) : line;
}
