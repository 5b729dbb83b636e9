// The tables of all commands → what a shell needs to complete them, and pages for man.
export { bashScript } from "./bash.ts";
export { commandOf } from "./command.ts";
export type { Command } from "./command.ts";
export { fishScript } from "./fish.ts";
export { manualPage } from "./manual-page.ts";
export { zshScript } from "./zsh.ts";
