// Colours and frame characters, or none: decided once per stream. Meaning never depends on them alone.

export type Style = {
  dim(text: string): string;
  bold(text: string): string;
  red(text: string): string;
  yellow(text: string): string;
  green(text: string): string;
  cyan(text: string): string;
  readonly hasColor: boolean;
  /** Around what was made visible in foreign text. */
  readonly mark: { open: string; close: string } | undefined;
};

export type Frames = { top: string; side: string; bottom: string };

export function styleFor(hasColor: boolean): Style {
  const with_ =
    (on: number, off: number) =>
    (text: string): string =>
      hasColor && text !== "" ? `\u001b[${on}m${text}\u001b[${off}m` : text;
  return {
    dim: with_(2, 22),
    bold: with_(1, 22),
    red: with_(31, 39),
    yellow: with_(33, 39),
    green: with_(32, 39),
    cyan: with_(36, 39),
    hasColor,
    mark: hasColor ? { open: "\u001b[7m", close: "\u001b[27m" } : undefined,
  };
}

export function framesFor(isUtf8: boolean): Frames {
  return isUtf8 ? { top: "┌ ", side: "│ ", bottom: "└ " } : { top: "+ ", side: "| ", bottom: "+ " };
}

type Env = Readonly<Record<string, string | undefined>>;

export function wantsColor(env: Env, isTerminal: boolean): boolean {
  return isTerminal && (env["NO_COLOR"] ?? "") === "" && env["TERM"] !== "dumb";
}

export function isUtf8Locale(env: Env): boolean {
  const locale = env["LC_ALL"] || env["LC_CTYPE"] || env["LANG"] || "";
  return /utf-?8/i.test(locale);
}
