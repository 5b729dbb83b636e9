// Starts the Landlock helper inside an executable: native calls are loaded only by the process that becomes a command.

/** For the entry point of an executable, under a hidden word that `SandboxOptions.helper` names. Never returns. */
export async function becomeConfined(words: readonly string[]): Promise<never> {
  const { confineAndBecome } = await import("./landlock-program.ts");
  return confineAndBecome(words);
}
