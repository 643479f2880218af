import type { Db } from "mongodb";

/** A step from one layout of the database to the next. It may be cut off and run again, so each part is repeatable. */
export type Migration = {
  /** Rises by one; never reused, never changed after a release. */
  number: number;
  name: string;
  run(db: Db): Promise<void>;
};
