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

/** `isLight`: on a light background yellow and cyan cannot be read, so magenta and blue take their places. */
export function styleFor(hasColor: boolean, isLight = false): Style {
  const with_ =
    (on: number, off: number) =>
    (text: string): string =>
      hasColor && text !== "" ? `\u001b[${on}m${text}\u001b[${off}m` : text;
  return {
    dim: with_(2, 22),
    bold: with_(1, 22),
    red: with_(31, 39),
    yellow: with_(isLight ? 35 : 33, 39),
    green: with_(32, 39),
    cyan: with_(isLight ? 34 : 36, 39),
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

/** As terminals say it in a variable: `foreground;background`, 7 and 9 to 15 being light. Without it: dark. */
export function hasLightBackground(env: Env): boolean {
  const background = Number((env["COLORFGBG"] ?? "").split(";").at(-1) || Number.NaN);
  return background === 7 || (background >= 9 && background <= 15);
}

export function isUtf8Locale(env: Env): boolean {
  const locale = env["LC_ALL"] || env["LC_CTYPE"] || env["LANG"] || "";
  return /utf-?8/i.test(locale);
}
