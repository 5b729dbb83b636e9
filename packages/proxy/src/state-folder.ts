// Where the proxy keeps what should survive it.

export async function stateFolder(): Promise<string> {
  const { foldersOf, homeOf } = await import("@bosun/settings");
  return foldersOf(process.env, homeOf(process.env)).state;
}
