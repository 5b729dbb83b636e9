// The engine's public names, one by one.
export { EngineError } from "./failure.ts";
export type { EngineCode, FailureDetails } from "./failure.ts";
