import type { Collection, Db, Document, IndexDescription } from "mongodb";
import type { FieldOf, Personal } from "./personal.ts";

/** What migrations, erasure and export have to know about one collection. */
export type CollectionSchema = {
  name: string;
  indexes: readonly IndexDescription[];
  /** Keys of indexes that older releases created and no query uses any more. */
  retired: readonly IndexDescription["key"][];
  personal: Personal;
};

/** Defines a collection: its name, its indexes and typed access. `npm run generate` lists them all. */
export function defineCollection<Doc extends Document>(
  name: string,
  {
    indexes = [],
    retired = [],
    personal,
  }: { indexes?: IndexDescription[]; retired?: IndexDescription["key"][]; personal: Personal<FieldOf<Doc>> },
) {
  return {
    name,
    indexes,
    retired,
    personal,
    /** `Shown` is the type that the caller's projection returns. */
    in: <Shown extends Document = Doc>(db: Db): Collection<Shown> => db.collection<Shown>(name),
  };
}
