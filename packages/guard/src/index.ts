export { GuardError } from "./failure.ts";
