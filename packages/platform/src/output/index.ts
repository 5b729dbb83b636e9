// Writing to stdout and stderr so that nothing is lost when the process ends.
export { ProcessOutput } from "./process-output.ts";
