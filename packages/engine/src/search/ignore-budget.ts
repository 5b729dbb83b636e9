// How much one search may spend on ignore rules. They come with the tree, so anybody may have written them: many long
// patterns against many long names would take minutes. When it is spent, rules no longer hold for the rest of the search.

/** About a second; a large repository with thousands of rules needs a hundredth of it. */
const STEPS_PER_SEARCH = 200_000_000;
/** For one name, about 50 ms: others wait for as long. */
const STEPS_PER_NAME = 10_000_000;
/** Reading a rule costs about so many times what a step of matching does, for each character. */
const STEPS_PER_CHARACTER = 40;

/** What trying a rule costs before its first character is looked at. */
const STEPS_PER_RULE = 8;

export class IgnoreBudget {
  /** Counted by the matcher. */
  steps = 0;
  #over = false;
  #skipped = false;
  #nameFrom = 0;

  /** Not all rules were applied: what they leave out may be in the result. */
  get incomplete(): boolean {
    return this.over || this.#skipped;
  }

  /** All is spent. */
  get over(): boolean {
    return this.#over || this.steps > STEPS_PER_SEARCH;
  }

  /** Another name is judged. */
  begin(): void {
    this.#nameFrom = this.steps;
  }

  /** Whether this name has had its share: then all is over, since the next may be no better. */
  get nameIsSpent(): boolean {
    if (this.steps - this.#nameFrom > STEPS_PER_NAME) this.#over = true;
    return this.over;
  }

  tried(): void {
    this.steps += STEPS_PER_RULE;
  }

  read(characters: number): void {
    this.steps += characters * STEPS_PER_CHARACTER;
  }

  /** A file of rules was too large to be one. */
  skipped(): void {
    this.#skipped = true;
  }
}
