// The public names of the guard, one by one.
export { GuardError, type GuardErrorCode } from "./failure.ts";
export { canonicalJson, digestOf } from "./canonical-json.ts";
export { sha256 } from "./sha256.ts";
export { openStateFile, type StateFile } from "./state-file.ts";
export { readPrivateFile, writePrivateFile, type PrivateText, type ReadPrivateOptions } from "./private-file.ts";

// Text for screens and logs.
export {
  framed,
  makeScreenSafe,
  screenSafe,
  unforged,
  withoutTagCharacters,
  type ScreenSafe,
  type ScreenSafeOptions,
} from "./screen-safe.ts";
export { diffOf } from "./diff.ts";
export { createScreenSafeStream, type ScreenSafeStream, type ScreenSafeStreamOptions } from "./screen-safe-stream.ts";
export { createRedactor, masked, redact, type Redactor, type RedactorOptions, type SecretRange } from "./redact.ts";
export { createRedactStream, type RedactStream } from "./redact-stream.ts";
export { isSecretName, isSecretVariable } from "./secret-shapes.ts";
export {
  callerVariableProblem,
  childEnvironment,
  isNeverHandedOn,
  ownEnvironment,
  wholeEnvironment,
  type ChildEnvironmentOptions,
  type EnvironmentSource,
} from "./child-environment.ts";
export { httpUrl, isLoopback, normaliseHost } from "./host-name.ts";

// Rules.
export type {
  Assignment,
  JudgedCommand,
  ParseShell,
  Redirect,
  ShellText,
  SimpleCommand,
  UnparsableCommand,
  Word,
} from "./rules/command.ts";
export { textOfCommand } from "./rules/command.ts";
export { withVariables } from "./rules/code-variables.ts";
export { actsOf, describeActs, mayConnect, type Act } from "./rules/acts.ts";
export {
  heldWriteOf,
  mayBeHeldWrite,
  partsOfScripts,
  type GitPart,
  type HeldWrite,
  type ScriptWrite,
} from "./rules/held-writes.ts";
export { reach, type Reached } from "./rules/reach.ts";
export { nameOfRule, type Decision, type RuleSource, type Verdict } from "./rules/decision.ts";
export { judge, type Call, type CallPath, type JudgeOptions } from "./rules/judge.ts";
export { isIgnored, judgePath, type PathAccess } from "./rules/judge-paths.ts";
export {
  compilePolicy,
  type Located,
  type Policy,
  type PolicyInput,
  type PolicyOptions,
  type RuleSetting,
} from "./rules/policy.ts";
export { displayName, type ToolName } from "./rules/tool-pattern.ts";

// Approvals, pins, trust.
export {
  callDigest,
  describeGrant,
  openApprovals,
  type Answer,
  type ApprovalCall,
  type ApprovalOptions,
  type Approvals,
  type Ask,
  type Grant,
  type Offer,
  type Outcome,
} from "./approvals.ts";
export { approvalCall, decide, decisionEvent, type CallToDecide, type Deciders, type Resolution } from "./decide.ts";
export {
  describeShell,
  questionText,
  refusalText,
  type Question,
  type QuestionOptions,
  type QuestionText,
} from "./ask-text.ts";
export { createTaint, type Taint } from "./taint.ts";
export {
  comparePins,
  definitionHash,
  listHash,
  openPins,
  revealed,
  type PinChange,
  type PinReport,
  type Pins,
  type ToolDefinition,
} from "./pins.ts";
export { describeChanges, IN_FULL, type DiffLimits } from "./pin-diff.ts";
export { describeResemblance, findResemblances, mixesScripts, skeleton, type Resemblance } from "./confusables.ts";
export { serverIdentity, serverLabel, type ServerAddress } from "./server-identity.ts";
export { openProjectTrust, type ProjectTrust } from "./project-trust.ts";

// Audit.
export { openAudit, type Audit, type AuditEvent, type AuditOptions } from "./audit.ts";
export type { AuditRecord, ChainLink } from "./audit-line.ts";
export { verifyAudit, verifyAuditFolder, type AuditProblem, type AuditReport } from "./audit-verify.ts";
export { lastRecords, readAudit, readAuditFolder, type AuditFilter } from "./audit-read.ts";

// Settings.
export { SettingsError } from "./settings/document.ts";
export {
  defaultSettings,
  loadSettings,
  readSettings,
  type LoadedSettings,
  type LoadOptions,
} from "./settings/load-settings.ts";
export {
  foldersOf,
  homeOf,
  locateProjectFiles,
  locateSettings,
  PROJECT_FILE,
  protectedPaths,
  type Environment,
  type Folders,
  type SettingsFile,
} from "./settings/locations.ts";
export {
  loadProjectSettings,
  tightenSettings,
  type IsTrusted,
  type ProjectSettings,
} from "./settings/project-settings.ts";
export { readServerList, type ServerList } from "./settings/server-lists.ts";
export { isOffered } from "./settings/offered-tools.ts";
export { policyOfSettings, unmatchedRules } from "./settings/policy-of-settings.ts";
export { secretsOfSettings } from "./settings/secrets-of-settings.ts";
export { shellLimits, type ShellLimits, type ShellRequest } from "./settings/shell-limits.ts";
export { settingsReference } from "./settings/settings-reference.ts";
export type { ModelSettings, ServerSettings, Settings } from "./settings/settings-table.ts";
export { nearest } from "./settings/nearest.ts";
