// Settings → the policy that judges. The [shell_tool] table, the run_command list and auto_approve are rules like any other.
import { compilePolicy, type Policy, type PolicyOptions, matchesTool, type ToolName } from "@bosun/policy";
import type { RuleSource } from "@bosun/policy";
import type { Settings } from "./settings-table.ts";

export function policyOfSettings(settings: Settings, file: string, options: PolicyOptions): Policy {
  return compilePolicy(
    {
      rules: settings.rules,
      approvals: settings.mcp.autoApprove,
      blockedCommands: settings.shellTool.blockedCommands,
      onlyCommands: settings.shellTool.allowedCommands,
      runCommand: { programs: settings.runCommand.allow, file },
      allowedDirectories: settings.shellTool.allowedDirectories,
      denyPaths: [...settings.paths.deny, ...settings.serve.denyDirs],
      readOnlyPaths: settings.paths.readOnly,
      ignorePaths: settings.paths.ignore,
    },
    options,
  );
}

/** Rules whose tools exist on no server: a typing error that silently annoys, or a deny that never bites. Said once. */
export function unmatchedRules(policy: Policy, tools: readonly ToolName[]): RuleSource[] {
  return [...policy.toolRules, ...policy.commandRules]
    .filter((rule) => rule.tools.length > 0)
    .filter((rule) => !rule.tools.some((pattern) => tools.some((tool) => matchesTool(pattern, tool))))
    .map((rule) => rule.source);
}
