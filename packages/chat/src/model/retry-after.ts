// How long a server asks us to wait, in either of the two headers and either form of the older one.

export function retryAfterMs(headers: Headers, now = Date.now()): number | undefined {
  const exact = Number.parseFloat(headers.get("retry-after-ms") ?? "");
  if (Number.isFinite(exact) && exact >= 0) return exact;
  const said = headers.get("retry-after");
  if (said === null) return undefined;
  const inSeconds = Number(said);
  if (Number.isFinite(inSeconds) && inSeconds >= 0) return inSeconds * 1000;
  const date = Date.parse(said);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
