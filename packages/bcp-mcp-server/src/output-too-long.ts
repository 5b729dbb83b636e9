// What does not fit into one message: the model can ask for less.

export class OutputTooLong extends Error {
  override readonly name = "OutputTooLong";

  constructor(what: string, maxChars: number) {
    super(`${what} is longer than ${maxChars} characters: set a budget`);
  }
}
