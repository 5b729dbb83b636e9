// The library's public names, one by one: what commands of a person need. A server takes what it needs from /recorder.
export { changesDiff, changesJson, changesStat } from "./show-changes.ts";
export type { Chosen } from "./net-changes.ts";
export type { Selection } from "./choose-steps.ts";
export type { ApplyHooks } from "./apply.ts";
export { LocalKeeper } from "./local-keeper.ts";
export { recover } from "./recover.ts";
export type { NotCovered, Step, StepChange } from "./records.ts";
export { DEFAULT_SETTINGS } from "./settings.ts";
export type { UndoSettings } from "./settings.ts";
export { stepJson } from "./step-json.ts";
export { coverageLines, stepList } from "./step-list.ts";
export { recordedTree, storeFolder, undoFolder, UndoStore } from "./store.ts";
export type { StoreOptions } from "./store.ts";
export { takeBack } from "./take-back.ts";
export type { TakeBackConsole, TakeBackMeans, TakeBackRequest } from "./take-back.ts";
export { decodePath, encodePath } from "./tree-path.ts";
export type { TreePath } from "./tree-path.ts";
export { StoreFull, UndoError } from "./undo-error.ts";
