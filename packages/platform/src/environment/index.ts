// The environment of a child process.
export {
  callerVariableProblem,
  childEnvironment,
  isNeverHandedOn,
  ownEnvironment,
  wholeEnvironment,
} from "./child-environment.ts";
