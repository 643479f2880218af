import type { Collection, Db, Document, IndexDescription } from "mongodb";
import type { FieldOf, Personal } from "./personal.ts";

/** What the database needs of one collection. */
export type CollectionSchema = {
  name: string;
  indexes: readonly IndexDescription[];
  /** Keys of indexes that older releases made and no query uses any more. */
  retired: readonly IndexDescription["key"][];
  personal: Personal;
};

/** A collection's name, its indexes and typed access. `npm run generate` lists each one. */
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
    /** `Shown` is what the caller's projection leaves of the document. */
    in: <Shown extends Document = Doc>(db: Db): Collection<Shown> => db.collection<Shown>(name),
  };
}
