// Why the program cannot start as it was asked to: wrong settings, wrong usage, nothing to talk to. Ends with exit 2.

export class Unusable extends Error {
  override readonly name = "Unusable";
}
