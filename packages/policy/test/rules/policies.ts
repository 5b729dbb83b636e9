// Short ways to write policies in tests.
import {
  compilePolicy,
  type Located,
  type Policy,
  type PolicyInput,
  type PolicyOptions,
  type RuleSetting,
} from "../../src/rules/policy.ts";

export const FILE = "config.toml";

export function rule(setting: Partial<RuleSetting> & Pick<RuleSetting, "decide">): RuleSetting {
  return {
    name: undefined,
    reason: undefined,
    tools: [],
    arguments: {},
    commands: [],
    paths: [],
    access: "any",
    file: FILE,
    line: 1,
    ...setting,
  };
}

export function allowing(...commands: string[]): RuleSetting {
  return rule({ decide: "allow", commands });
}

export function at(text: string, line = 1): Located {
  return { text, file: FILE, line };
}

export function policy(input: PolicyInput, options: Partial<PolicyOptions> = {}): Policy {
  return compilePolicy(input, { fallback: "ask", workdir: "/project", home: "/home/bob", ...options });
}
