// Who gets the keys: what was typed before a question never answers it, and what follows an Enter is for the next line.
import { expect, test } from "bun:test";
import { Input } from "../../src/screen/keyboard-input.ts";
import type { Io, Keyboard, Output } from "../../src/screen/program-io.ts";
import { Terminal } from "../../src/screen/terminal.ts";

/** A keyboard whose keys are pressed by the test, and a screen that remembers. */
function desk() {
  let press: (bytes: Uint8Array) => void = () => {};
  let shown = "";
  const keyboard: Keyboard = { open: (onBytes) => void (press = onBytes), close: async () => {} };
  const output: Output = {
    write: (text) => void (shown += text),
    isTerminal: true,
    columns: () => 80,
    drained: async () => {},
  };
  const io: Io = {
    stdout: output,
    stderr: output,
    stdinText: undefined,
    keyboard,
    env: { LANG: "C.UTF-8", TERM: "xterm" },
    home: "/",
    cwd: () => "/",
    chdir: () => {},
    onSignal: () => () => {},
    endChildren: () => {},
    exit: () => {},
    onClosedPipe: () => {},
  };
  const input = new Input(new Terminal(io), keyboard);
  input.open();
  return { input, type: (text: string) => press(new TextEncoder().encode(text)), shown: () => shown };
}

test("keys before a question, and in its first moment, do not answer it; Enter alone is an empty answer", async () => {
  const { input, type } = desk();
  type("y\r");
  const asked = input.question("call it? ");
  await Promise.resolve();
  await Promise.resolve();
  type("y\r"); // in the same instant: nobody can have read it
  await Bun.sleep(350); // a person looks up
  type("\r");
  expect(await asked).toEqual({ kind: "line", text: "", isPaste: false });
});

test("who is still typing when a question appears does not answer it, though single keys do", async () => {
  const { input, type } = desk();
  const asked = input.key("call it? ", "yn");
  for (const letter of "why yes") {
    await Bun.sleep(60); // as fast as people type
    type(letter);
  }
  await Bun.sleep(350); // a person looks up
  type("x"); // no answer
  type("n");
  type("\r");
  expect(await asked).toEqual({ kind: "line", text: "n", isPaste: false });
});

test("Ctrl-C is heard at once, also in that first moment", async () => {
  const { input, type } = desk();
  const asked = input.question("call it? ");
  await Promise.resolve();
  await Promise.resolve();
  type("\u0003");
  expect((await asked).kind).toBe("interrupt");
});

test("what comes in the same breath after Enter stands on the next line and waits there", async () => {
  const { input, type } = desk();
  const first = input.line({ prompt: "> " });
  await Promise.resolve();
  await Promise.resolve();
  type("one\rtwo\r");
  expect(await first).toEqual({ kind: "line", text: "one", isPaste: false });
  const second = input.line({ prompt: "> " });
  await Promise.resolve();
  await Promise.resolve();
  type("!\r");
  expect(await second).toEqual({ kind: "line", text: "two!", isPaste: false });
});

test("nobody reads a line: Ctrl-C goes to whoever runs, and a paste is kept for nobody", async () => {
  const { input, type } = desk();
  let interrupts = 0;
  input.onInterrupt = () => void (interrupts += 1);
  type("\u0003\u001b[200~rm -rf x\u001b[201~");
  expect(interrupts).toBe(1);
  const next = input.line({ prompt: "> " });
  await Promise.resolve();
  await Promise.resolve();
  type("\r");
  expect(await next).toEqual({ kind: "line", text: "", isPaste: false });
});

test("a question that became pointless ends, the input line does not", async () => {
  const { input, type } = desk();
  const line = input.line({ prompt: "> " });
  await Promise.resolve();
  await Promise.resolve();
  input.abandonQuestion();
  type("still here\r");
  expect(await line).toMatchObject({ kind: "line", text: "still here" });
  const asked = input.question("answer it? ");
  await Promise.resolve();
  await Promise.resolve();
  input.abandonQuestion();
  expect((await asked).kind).toBe("end-of-input");
});
