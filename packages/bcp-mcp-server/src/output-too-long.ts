// What does not fit into one message: the model can ask for less, where there is a way to.

export class OutputTooLong extends Error {
  override readonly name = "OutputTooLong";

  constructor(what: string, maxChars: number, instead?: string) {
    super(`${what} is longer than ${maxChars} characters${instead === undefined ? "" : `: ${instead}`}`);
  }
}
