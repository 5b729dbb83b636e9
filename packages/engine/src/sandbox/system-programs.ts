// The system's own programs, whatever PATH says: what confines commands is not to be found in a folder somebody can write.

const FOLDERS = "/usr/bin:/bin:/usr/sbin:/sbin:/usr/local/bin:/run/current-system/sw/bin";

export function findSystemProgram(name: string): string | null {
  return Bun.which(name, { PATH: FOLDERS });
}

/** Both of util-linux. */
export type NamespaceTools = { readonly setpriv: string; readonly unshare: string };

export function findNamespaceTools(): NamespaceTools | undefined {
  const [setpriv, unshare] = [findSystemProgram("setpriv"), findSystemProgram("unshare")];
  return setpriv === null || unshare === null ? undefined : { setpriv, unshare };
}
