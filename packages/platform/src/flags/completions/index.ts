// The tables of all commands → what a shell needs to complete them, and pages for man.
export { bashScript } from "./bash-completion.ts";
export { commandOf } from "./completed-command.ts";
export type { Command } from "./completed-command.ts";
export { fishScript } from "./fish-completion.ts";
export { manualPage } from "./manual-page.ts";
export { zshScript } from "./zsh-completion.ts";
