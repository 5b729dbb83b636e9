// Files that nobody else may read or plant.
export { openStateFile, stateFileIn } from "./state-file.ts";
export { makePrivateFolder, openPrivateAppend, readPrivateFile, writeAll, writePrivateFile } from "./private-file.ts";
