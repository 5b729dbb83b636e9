// Patches as git prints them: the four lines that name one file become one. Everything else is untouched.
//
//   diff src/a.ts index 1a2b3c4..5d6e7f8 100644
import type { Form } from "./form.ts";

const PHRASE = '"diff FILE" is the header of a change to FILE';
// Bounded: a path without end would be tried at every length.
const HEADER =
  /^diff --git a\/(\S{1,300}) b\/\1\n(index [0-9a-f]+\.\.[0-9a-f]+(?: \d{6})?)\n--- a\/\1\n\+\+\+ b\/\1$/gm;
const SHORT = /^diff (\S{1,300}) (index [0-9a-f]+\.\.[0-9a-f]+(?: \d{6})?)$/gm;

export const patchHeaders: Form = {
  name: "patch",
  fold(text) {
    if (!text.includes("diff --git ") || new RegExp(SHORT.source, "m").test(text)) return undefined;
    const body = text.replace(HEADER, "diff $1 $2");
    return body === text ? undefined : { phrase: PHRASE, body };
  },
  unfold({ body }) {
    return body.replace(
      SHORT,
      (_, path: string, index: string) => `diff --git a/${path} b/${path}\n${index}\n--- a/${path}\n+++ b/${path}`,
    );
  },
};
