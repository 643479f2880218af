/** Why the schema can't be completed, as a sentence for an operator. */
export class SchemaError extends Error {
  override readonly name: string = "SchemaError";
}

/** The lock of migrations wasn't renewed in time, and another process has it now: that one goes on. */
export class LockLost extends SchemaError {
  override readonly name = "LockLost";

  constructor() {
    super("Another process has taken over the migrations of the database; start again.");
  }
}
