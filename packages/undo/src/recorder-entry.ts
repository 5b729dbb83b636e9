// What a server records with.
export { Recorder } from "./recorder.ts";
export type { Call, ExactChange, Kept, KeeperLink, RecordingWindow } from "./recorder.ts";
export { UndoStore, undoFolder } from "./store.ts";
