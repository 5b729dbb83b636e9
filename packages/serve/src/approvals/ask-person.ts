// A question to the person behind the client, as an MCP elicitation: the whole call is shown, the answer counts for
// exactly that call. Both carriers are mcp's business; here a client that cannot be asked gets a clear no.
import { approvalCall, questionText } from "@bosun/policy";
import type { Answer, Ask, CallToAuthorize, Offer } from "@bosun/policy";
import { ConnectionError, elicitForm, isObject, isShared } from "@bosun/mcp/server";
import type { Answers, Context, JsonObject, Question } from "@bosun/mcp/server";
import type { Session } from "@bosun/engine";
import type { ServerState } from "../server/server-state.ts";
import { Refusal } from "../calls/refusal.ts";
import type { PolicyGate } from "./policy-gate.ts";

/** What is longer than this nobody reads: then the answer is no, not a blind yes. */
const SHOWN = { maxValueChars: 100_000, maxValueLines: 5000, secrets: true };
const REFUSE = "refuse";

export type Asking = {
  readonly state: ServerState;
  readonly gate: PolicyGate;
  readonly context: Context;
  readonly session: Session;
  readonly record: { answered(answer: string): void };
  /** What the call would change, where its arguments alone do not say it. */
  readonly change?: readonly string[];
};

/** Returns when the person allowed it; throws Refusal otherwise. */
export async function askPerson(ask: Ask, call: CallToAuthorize, asking: Asking): Promise<void> {
  const { context, gate, session, record } = asking;
  const { decision } = ask;
  const { settingsFile } = gate;
  await gate.loadGrammar();
  const { parse } = gate;
  const shown = questionText(
    { ...call, arguments: call.arguments, server: { builtin: "this server" }, decision, parse },
    SHOWN,
  );
  if (!shown.isWhole) {
    const after = "It is too long to be shown to a person as a whole.";
    throw new Refusal("cannot ask", decision, { settingsFile, after });
  }
  const question = elicitForm(wordingOf(ask, call, [shown.text, ...(asking.change ?? [])].join("\n")), formFor(ask));
  if (!context.canAsk(question)) {
    throw new Refusal("cannot ask", decision, { settingsFile, cannotAsk: true });
  }
  // The key carries the digest: an answer that comes back on another carrier can only be to this very call.
  const key = `approve-${ask.digest.slice(0, 32)}`;
  const { approvalTimeoutMs } = asking.state.config;
  const answers = await answersOf(context, { [key]: question }, approvalTimeoutMs);
  if (answers === "late") {
    record.answered("none");
    const after = `Nobody answered within ${approvalTimeoutMs / 1000} s, which counts as a no.`;
    throw new Refusal("unanswered", decision, { settingsFile, after });
  }
  const outcome = gate
    .approvalsOf(session, isShared(context.owner))
    .answer(ask, approvalCall(call), answerFrom(answers[key], ask));
  record.answered(outcome.kind === "allowed" ? `allowed: ${outcome.scope}` : `denied: ${outcome.reason}`);
  if (outcome.kind === "denied") {
    throw new Refusal("refused", decision, { settingsFile, after: `The answer: ${outcome.reason}.` });
  }
}

function wordingOf(ask: Ask, call: CallToAuthorize, question: string): string {
  return [
    `Allow this call? ${question}`,
    ...(call.cwd === undefined ? [] : [`in: ${call.cwd}`]),
    ...(ask.changedSince === undefined ? [] : [`Its definition changed since it was allowed on ${ask.changedSince}.`]),
    ...ask.offers.map((offer) => `"${nameOfOffer(offer)}": ${offer.meaning}`),
    `digest: ${ask.digest}`,
  ].join("\n");
}

function formFor(ask: Ask): JsonObject {
  const choices = [...ask.offers.map(nameOfOffer), REFUSE];
  return {
    type: "object",
    properties: { decision: { type: "string", title: "Decision", enum: choices } },
    required: ["decision"],
  };
}

function nameOfOffer({ answer }: Offer): string {
  if (answer.kind === "once") return "allow once";
  if (answer.kind === "always") return "always allow this tool";
  const server = answer.kind === "session" && answer.scope === "server";
  return server ? "allow this server for this session" : "allow this tool for this session";
}

/** Anything but a clear yes is a no. */
function answerFrom(said: JsonObject | undefined, ask: Ask): Answer {
  const action = said?.["action"];
  if (action !== "accept")
    return { kind: "deny", reason: action === "decline" ? "the person declined" : "the question was dismissed" };
  const content = isObject(said?.["content"]) ? said["content"] : {};
  const offer = ask.offers.find((one) => nameOfOffer(one) === content["decision"]);
  return offer?.answer ?? { kind: "deny", reason: "the person refused" };
}

/** A question that nobody answered in time is withdrawn: a yes that comes later must not look as if it counted. */
async function answersOf(
  context: Context,
  questions: { [key: string]: Question },
  timeoutMs: number,
): Promise<Answers | "late"> {
  try {
    return await context.ask(questions, { timeoutMs });
  } catch (error) {
    if (error instanceof ConnectionError && error.reason === "timeout") return "late";
    throw error;
  }
}
