// Secrets out of what is shown and logged.
export { isSecretName } from "./secret-shapes.ts";
export { createRedactStream } from "./redact-stream.ts";
export { createRedactor, masked, redact, type Redactor } from "./redact.ts";
