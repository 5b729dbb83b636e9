export { runBosun } from "./main.ts";
