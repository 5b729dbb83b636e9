// What a server records with.
export { KeeperClient } from "./keeper-client.ts";
export type { KeeperClientOptions } from "./keeper-client.ts";
export { Recorder } from "./recorder.ts";
export type { Call, ExactChange, Kept, KeeperLink, RecordingWindow } from "./recorder.ts";
export { UndoStore, undoFolder } from "./store.ts";
