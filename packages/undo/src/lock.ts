// One process at a time: a lock that ends with its holder, however it ends. SQLite holds it; a file that is only there would
// outlive a kill.
import path from "node:path";
import type { Database } from "bun:sqlite";
import { codeOf } from "@bosun/platform/errors";
import { openPlain } from "./database.ts";

export class Lock implements Disposable {
  /** Referred to as long as it is held: Bun lets go of the lock of a database that nothing refers to. */
  readonly #database: Database;

  private constructor(database: Database) {
    this.#database = database;
  }

  /** Undefined when somebody else holds it. */
  static take(folder: string, name: "keeper.lock" | "undo.lock"): Lock | undefined {
    const database = openPlain(path.join(folder, name));
    try {
      database.run("PRAGMA busy_timeout = 0");
      database.run("BEGIN EXCLUSIVE");
      return new Lock(database);
    } catch (error) {
      database.close();
      if (codeOf(error).startsWith("SQLITE_BUSY")) return undefined;
      throw error;
    }
  }

  [Symbol.dispose](): void {
    this.#database.run("ROLLBACK");
    this.#database.close();
  }
}
