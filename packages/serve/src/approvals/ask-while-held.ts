// A question about a call whose places are held open meanwhile: what is used after the answer is what was asked about.
import type { Decision } from "@bosun/policy";
import type { CallPlaces } from "../calls/call-places.ts";
import { Refusal } from "../calls/refusal.ts";
import type { PolicyGate } from "./policy-gate.ts";

/** Each holds descriptors for as long as its question is open; and nobody reads so many questions at a time. */
const MOST_QUESTIONS = 200;

export type HeldQuestion = { readonly places: CallPlaces; readonly gate: PolicyGate; readonly decision: Decision };

/** Throws Refusal when too many questions are open, CHANGED_ON_DISK when something was moved or replaced meanwhile. */
export async function whileHeld({ places, gate, decision }: HeldQuestion, ask: () => Promise<void>): Promise<void> {
  if (gate.openQuestions >= MOST_QUESTIONS) {
    const after = `${MOST_QUESTIONS} questions are open already.`;
    throw new Refusal("cannot ask", decision, { settingsFile: gate.settingsFile, after });
  }
  gate.openQuestions += 1;
  try {
    places.hold();
    await ask();
    places.confirm();
  } finally {
    gate.openQuestions -= 1;
  }
}
