// Files that nobody else may read or plant.
export { isObject, openStateFile, stateFileIn } from "./state-file.ts";
export {
  codeOf,
  makePrivateFolder,
  openPrivateAppend,
  readPrivateFile,
  writeAll,
  writePrivateFile,
} from "./private-file.ts";
