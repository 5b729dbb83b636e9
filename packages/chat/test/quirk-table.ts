// The quirk table, printed: every trace over a socket in four cuts, and what came of it.
//   node scripts/bun.mjs packages/chat/test/quirk-table.ts
import { CALL_SHAPES, chunksOf } from "./model/call-shapes.ts";
import { LESSONS } from "./model/lesson-traces.ts";
import { answerOf, CUTS, replay } from "./model/replay.ts";
import { STREAMS } from "./model/stream-traces.ts";
import { finish, startModel, text } from "./scripted-model.ts";
import type { Step } from "./scripted-model.ts";

type Row = { trace: string; result: string; isGood: boolean };

const model = startModel();
const rows: Row[] = [];
for (const [trace, step, expected] of STREAMS) {
  const wanted = expected.calls?.map(([name, args]) => `${name}(${args})`);
  rows.push(
    await inAllCuts(trace, step, (seen) => {
      if (expected.text !== undefined && seen.text !== expected.text) return false;
      if (expected.meaning !== undefined && seen.meaning !== expected.meaning) return false;
      return wanted === undefined || seen.calls.join() === wanted.join();
    }),
  );
}
for (const [trace, deltas, expected] of CALL_SHAPES) {
  const wanted = expected.map(([name, args]) => `${name}(${args})`).join();
  const step: Step = { chunks: [text("x"), ...chunksOf(deltas)] };
  rows.push(await inAllCuts(`calls: ${trace}`, step, (seen) => seen.calls.join() === wanted));
}
for (const [message, change, toolTurns = false] of LESSONS) {
  const refusal: Step = { status: 400, body: JSON.stringify({ error: { message } }) };
  const { compat, asked } = await replay(model, [refusal, { chunks: [text("fine"), finish("stop")] }], { toolTurns });
  const [[key, value] = ["", ""]] = Object.entries(change);
  const isGood = asked.kind === "answer" && Object.entries(compat).some(([name, now]) => name === key && now === value);
  rows.push({
    trace: `400 "${message.slice(0, 70)}"`,
    result: `learns ${key} = ${value}, asks again, answered`,
    isGood,
  });
}
await model.stop();

const width = Math.max(...rows.map(({ trace }) => trace.length));
for (const { trace, result, isGood } of rows)
  console.log(`${isGood ? "ok  " : "FAIL"}  ${trace.padEnd(width)}  ${result}`);
const failed = rows.filter(({ isGood }) => !isGood).length;
console.log(`\n${rows.length} traces, ${failed} failed; ${model.problems.length} invalid requests`);
process.exitCode = failed + model.problems.length === 0 ? 0 : 1;

type Seen = { text: string; meaning: string; calls: string[] };

async function inAllCuts(trace: string, step: Step, isExpected: (seen: Seen) => boolean): Promise<Row> {
  const results = new Set<string>();
  let isGood = true;
  for (const cut of step.body === undefined ? CUTS : (["whole"] as const)) {
    const answer = answerOf(await replay(model, [{ ...step, cut }]));
    const calls = answer.calls.map(({ name, arguments: args }) => `${name}(${args})`);
    const seen: Seen = { text: answer.text, meaning: answer.meaning.kind, calls };
    isGood &&= isExpected(seen);
    results.add([seen.meaning, ...(calls.length === 0 ? [JSON.stringify(seen.text.slice(0, 40))] : calls)].join(" "));
  }
  return { trace, result: [...results].join(" | "), isGood: isGood && results.size === 1 };
}
