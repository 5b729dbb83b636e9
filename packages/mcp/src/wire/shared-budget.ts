// What many may hold together: each is allowed its share, not all of them at once.

export class SharedBudget {
  private left: number;

  constructor(total: number) {
    this.left = total;
  }

  /** False, and nothing taken, if there is not so much left. */
  take(amount: number): boolean {
    if (amount > this.left) return false;
    this.left -= amount;
    return true;
  }

  giveBack(amount: number): void {
    this.left += amount;
  }
}
