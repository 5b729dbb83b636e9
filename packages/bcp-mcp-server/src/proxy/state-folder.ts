// Where the proxy keeps what should survive it.
import { homedir } from "node:os";

export async function stateFolder(): Promise<string> {
  const { foldersOf } = await import("@bosun/guard");
  return foldersOf(process.env, homedir()).state;
}
