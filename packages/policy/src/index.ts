// The public names of policy: rules, approvals, pins and the audit log.
export {
  type ApprovalCall,
  type Answer,
  type Ask,
  type Offer,
  type Outcome,
  type Grant,
  type ApprovalOptions,
  type Approvals,
  callDigest,
  openApprovals,
  describeGrant,
} from "./approvals/approvals.ts";
export {
  type Question,
  type QuestionOptions,
  type QuestionText,
  questionText,
  describeShell,
  refusalText,
} from "./approvals/ask-text.ts";
export {
  type Deciders,
  type CallToAuthorize,
  type Resolution,
  authorizeCall,
  approvalCall,
} from "./approvals/authorize-call.ts";
export { type Taint, createTaint } from "./approvals/taint.ts";
export { type AuditRecord, type ChainLink } from "./audit/audit-line.ts";
export { type AuditFilter, readAudit, readAuditFolder, lastRecords } from "./audit/audit-read.ts";
export { type AuditProblem, type AuditReport, verifyAudit, verifyAuditFolder } from "./audit/audit-verify.ts";
export { type AuditEvent, type AuditOptions, type Audit, openAudit } from "./audit/audit.ts";
export { type Resemblance, skeleton, findResemblances, mixesScripts, describeResemblance } from "./pins/confusables.ts";
export { type DiffLimits, IN_FULL, describeChanges } from "./pins/pin-diff.ts";
export {
  type ToolDefinition,
  type PinChange,
  type PinReport,
  definitionHash,
  listHash,
  type Pins,
  openPins,
  comparePins,
  revealed,
} from "./pins/pins.ts";
export { type ServerAddress, serverIdentity, serverLabel } from "./pins/server-identity.ts";
export { type Act, actsOf, describeActs, mayConnect } from "./rules/command-effects.ts";
export { withVariables } from "./rules/code-variables.ts";
export {
  type Word,
  type Redirect,
  type Assignment,
  type SimpleCommand,
  type UnparsableCommand,
  type JudgedCommand,
  type ShellText,
  type ParseShell,
  textOfCommand,
} from "./rules/shell-text.ts";
export { type Verdict, type RuleSource, type Decision, BUILT_IN, nameOfRule } from "./rules/decision.ts";
export {
  type GitPart,
  type HeldWrite,
  mayBeHeldWrite,
  heldWriteOf,
  type ScriptWrite,
  partsOfScripts,
} from "./rules/git-config-writers.ts";
export { type PathAccess, judgePath, isIgnored } from "./rules/judge-paths.ts";
export { type Call, type CallPath, type JudgeOptions, judge } from "./rules/judge.ts";
export {
  type Located,
  type RuleSetting,
  type PolicyInput,
  type PolicyOptions,
  type Policy,
  compilePolicy,
} from "./rules/policy.ts";
export { type Reached, reach } from "./rules/expand-commands.ts";
export { type ToolName, compileToolPattern, isAlias, matchesTool, displayName } from "./rules/tool-pattern.ts";
