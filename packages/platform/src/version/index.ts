// Which Bosun this is: one source for every program.
import manifest from "../../package.json" with { type: "json" };

export const VERSION = manifest.version;
