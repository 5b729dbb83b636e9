// The programs without which hosts cannot be held apart: the system's own, whatever PATH says.

export type GateTools = { readonly bwrap: string; readonly nsenter: string };

const FOLDERS = "/usr/bin:/bin:/usr/sbin:/sbin:/usr/local/bin:/run/current-system/sw/bin";

/** Or the name of what is missing. */
export function findGateTools(): GateTools | { readonly missing: "linux" | "bwrap" | "nsenter" } {
  if (process.platform !== "linux") return { missing: "linux" };
  const [bwrap, nsenter] = ["bwrap", "nsenter"].map((name) => Bun.which(name, { PATH: FOLDERS }));
  if (typeof bwrap !== "string") return { missing: "bwrap" };
  return typeof nsenter === "string" ? { bwrap, nsenter } : { missing: "nsenter" };
}
