// Which Bosun this is.
import manifest from "../package.json" with { type: "json" };

export const VERSION = manifest.version;
