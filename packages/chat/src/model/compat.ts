// What one model server can take, as switches: a default each, changed when an error message says so, or pinned.

export type Compat = {
  streamOptions: "send" | "omit";
  toolRole: "tool" | "prefix";
  toolIds: "keep" | "short9";
  callsPerTurn: "many" | "one";
  emptyContent: "empty" | "null" | "omit";
  systemRole: "system" | "developer" | "merge";
  reasoningEcho: "in-loop" | "always" | "never";
  tokenParam: "max_tokens" | "max_completion_tokens";
  temperature: "send" | "omit";
  tools: "native" | "off";
  /** Whether `tool_choice: "none"` is understood; without it tools are left out when wrapping up. */
  toolChoice: "send" | "omit";
  schema: "as-is" | "plain";
  toolNameField: "send" | "omit";
};

export const DEFAULT_COMPAT: Readonly<Compat> = {
  streamOptions: "send",
  toolRole: "tool",
  toolIds: "keep",
  callsPerTurn: "many",
  emptyContent: "empty",
  systemRole: "system",
  reasoningEcho: "in-loop",
  tokenParam: "max_tokens",
  temperature: "send",
  tools: "native",
  toolChoice: "send",
  schema: "as-is",
  toolNameField: "send",
};

/** Setting name → switch and its values: one table for the settings file, the state file and the screen. */
export const COMPAT_SETTINGS: Readonly<Record<string, { key: keyof Compat; values: readonly string[] }>> = {
  stream_options: { key: "streamOptions", values: ["send", "omit"] },
  tool_role: { key: "toolRole", values: ["tool", "prefix"] },
  tool_ids: { key: "toolIds", values: ["keep", "short9"] },
  calls_per_turn: { key: "callsPerTurn", values: ["many", "one"] },
  empty_content: { key: "emptyContent", values: ["empty", "null", "omit"] },
  system_role: { key: "systemRole", values: ["system", "developer", "merge"] },
  reasoning_echo: { key: "reasoningEcho", values: ["in-loop", "always", "never"] },
  token_param: { key: "tokenParam", values: ["max_tokens", "max_completion_tokens"] },
  temperature: { key: "temperature", values: ["send", "omit"] },
  tools: { key: "tools", values: ["native", "off"] },
  tool_choice: { key: "toolChoice", values: ["send", "omit"] },
  schema: { key: "schema", values: ["as-is", "plain"] },
  tool_name_field: { key: "toolNameField", values: ["send", "omit"] },
};

/** A partial set from settings or state; members that mean nothing are left out. */
export function compatFrom(values: Readonly<Record<string, unknown>>): Partial<Compat> {
  const found: Record<string, string> = {};
  for (const [name, value] of Object.entries(values)) {
    const entry = COMPAT_SETTINGS[name];
    if (entry !== undefined && typeof value === "string" && entry.values.includes(value)) found[entry.key] = value;
  }
  return found;
}

export type CompatChange = { change: Partial<Compat>; said: string };

type Lesson = {
  when: RegExp;
  applies?: (compat: Compat, request: { hasToolTurns: boolean; wrapsUp: boolean }) => boolean;
  change: (compat: Compat) => Partial<Compat>;
  said: string;
};

// Order matters: the more particular message first.
const LESSONS: readonly Lesson[] = [
  {
    when: /(?:['"`]name['"`]|\.name\b)[\s\S]{0,60}not permitted/i,
    applies: (_, request) => request.hasToolTurns,
    change: () => ({ toolNameField: "omit" }),
    said: "tool results go without a name",
  },
  {
    when: /max_tokens[\s\S]{0,80}(?:not supported|unsupported)|max_completion_tokens[\s\S]{0,40}instead/i,
    change: () => ({ tokenParam: "max_completion_tokens" }),
    said: "sending max_completion_tokens instead of max_tokens",
  },
  {
    when: /stream_options|include_usage|\bextra(?:_forbidden| inputs?| fields?)\b/i,
    change: () => ({ streamOptions: "omit" }),
    said: "not asking for token counts any more",
  },
  {
    when: /single tool-?calls? at once|only supports? single tool/i,
    change: () => ({ callsPerTurn: "one" }),
    said: "one tool call per turn",
  },
  {
    when: /length (?:of )?9\b|exactly 9 characters|a-zA-Z0-9.{0,20}length/i,
    change: () => ({ toolIds: "short9" }),
    said: "short ids for tool calls",
  },
  {
    when: /system role (?:is )?not supported|system[\s\S]{0,40}not supported|does not support (?:the )?system/i,
    change: (compat) => ({ systemRole: compat.systemRole === "system" ? "merge" : "developer" }),
    said: "instructions go with the first question",
  },
  {
    when: /roles? (?:are|is) supported|must alternate|role ['"`]?tool['"`]?|unexpected role/i,
    applies: (_, request) => request.hasToolTurns,
    change: () => ({ toolRole: "prefix" }),
    said: "tool results go as text",
  },
  {
    when: /missing[\s\S]{0,20}reasoning_content|reasoning_content[\s\S]{0,60}(?:is missing|must be (?:passed|provided))/i,
    change: () => ({ reasoningEcho: "always" }),
    said: "reasoning is sent back",
  },
  {
    when: /reasoning_content[\s\S]{0,40}\bnot\b|both content and thinking/i,
    change: () => ({ reasoningEcho: "never" }),
    said: "reasoning is not sent back",
  },
  {
    when: /temperature[\s\S]{0,80}(?:unsupported|not support)|unsupported[\s\S]{0,40}temperature/i,
    change: () => ({ temperature: "omit" }),
    said: "temperature is not sent",
  },
  {
    when: /tool_choice/i,
    applies: (_, request) => request.wrapsUp,
    change: () => ({ toolChoice: "omit" }),
    said: "tools are left out when wrapping up",
  },
  {
    when: /does not support tools|requires? --jinja|enable-auto-tool-choice|no endpoints found that support tool use|tools? (?:param(?:eter)?|is|are) not supported/i,
    change: () => ({ tools: "off" }),
    said: "this model (or server) cannot call tools; CMD: still works",
  },
  {
    when: /content[\s\S]{0,40}non-?empty|text content blocks must|\bblank\b|content[\s\S]{0,30}(?:must not be|cannot be) empty/i,
    change: (compat) => ({ emptyContent: compat.emptyContent === "empty" ? "null" : "omit" }),
    said: "empty text is sent another way",
  },
  {
    when: /json schema|input_schema|invalid schema|moonshot flavored/i,
    change: () => ({ schema: "plain" }),
    said: "simplified tool schemas",
  },
];

/** The change that this error asks for, unless it was made already or is pinned. */
export function learn(
  message: string,
  compat: Compat,
  request: { hasToolTurns: boolean; wrapsUp: boolean },
  pinned: Partial<Compat>,
): CompatChange | undefined {
  for (const lesson of LESSONS) {
    if (!lesson.when.test(message) || lesson.applies?.(compat, request) === false) continue;
    const change = lesson.change(compat);
    const [key, value] = Object.entries(change)[0] ?? [];
    if (key === undefined || compat[key as keyof Compat] === value || key in pinned) continue;
    return { change, said: lesson.said };
  }
  return undefined;
}
