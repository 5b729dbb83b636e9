/** Text that is not JSON, and at which byte. */
export class JsonError extends Error {
  override readonly name = "JsonError";
  readonly at: number;

  constructor(message: string, at: number) {
    super(message);
    this.at = at;
  }
}
