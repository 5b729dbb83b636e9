// For `bun test` inside one package, which does not know what `npm test` says: some tests take longer than five seconds
// on a busy machine.
import { setDefaultTimeout } from "bun:test";

setDefaultTimeout(60_000);
