// The engine's public names, one by one.
export { EngineError } from "./failure.ts";
export type { EngineCode, FailureDetails } from "./failure.ts";
export { openScope, closeScope } from "./scope.ts";
export type { Scope, ScopeOptions } from "./scope.ts";
export { resolveInScope } from "./scope-path.ts";
export type { ResolveOptions, ScopedPath } from "./scope-path.ts";
export { parseWorkspacePath } from "./scope-workspace-path.ts";
export type { WorkspacePath } from "./scope-workspace-path.ts";
