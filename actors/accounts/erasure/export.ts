import type { Document, Filter } from "mongodb";
import type { Audit, Origin } from "../../../base/audit.ts";
import type { Clock } from "../../../base/clock.ts";
import type { Mongo } from "../../../store/mongo/driver/connect.ts";
import { keysWithPrefix } from "../../../store/mongo/driver/key-ranges.ts";
import type { ExportPart } from "../../../store/mongo/driver/personal.ts";
import { COLLECTIONS } from "../../../store/mongo/generated/collections.ts";
import type { SignedIn } from "../tokens/caller.ts";

/** Documents per read, which has the connection's timeout (3 s); few enough for a slow store. */
const BATCH = 50;

type Deps = { mongo: Mongo; audit: Audit; clock: Clock };

/** Exports all personal data of a user, as the collections declare it (store/mongo/driver/personal.ts). */
export function createAccountExport({ mongo, audit, clock }: Deps) {
  return {
    /** One JSON object, streamed in parts: the data is read as the consumer takes it. */
    async *of({ userId }: SignedIn, origin: Origin): AsyncGenerator<string> {
      audit("account.exported", { userId, origin }, {});
      yield `{"exported_at":${JSON.stringify(new Date(clock.now()))}`;
      for (const { name, part } of exportParts()) {
        yield `,${JSON.stringify(part.as ?? name)}:[`;
        let separator = "";
        const fields = Object.fromEntries(part.shows.map((field) => [field, 1]));
        const projection = { _id: 0, ...fields };
        // No maxTimeMS: it would limit the sum of all batches of a list, and an account of any size must be exportable.
        const found = mongo.db.collection(name).find(ownedBy(userId, part), { projection, batchSize: BATCH });
        for await (const doc of found) {
          yield `${separator}${JSON.stringify(inSnakeCase(doc))}`;
          separator = ",";
        }
        yield "]";
      }
      yield "}\n";
    },
  };
}

export const exportParts = (): { name: string; part: ExportPart }[] =>
  COLLECTIONS.flatMap(({ name, personal }) =>
    personal === "none" || "nothing" in personal.exports
      ? []
      : personal.exports.map((part) => ({ name, part })),
  );

const ownedBy = (userId: string, { by, isKey }: ExportPart): Filter<Document> => ({
  [by]: isKey ? keysWithPrefix(userId) : userId,
});

/** Converts names to snake_case, as in the rest of the API. */
function inSnakeCase(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inSnakeCase);
  if (typeof value !== "object" || value === null || value instanceof Date) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name === "_id" ? "id" : name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      inSnakeCase(inner),
    ]),
  );
}
