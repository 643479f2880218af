import type { Document, Filter } from "mongodb";
import type { Origin } from "../../store/audit.ts";
import { COLLECTIONS } from "../../store/mongo/generated/collections.ts";
import { keysUnder } from "../../store/mongo/key-ranges.ts";
import type { ExportPart } from "../../store/mongo/personal.ts";
import type { FeatureDeps } from "../features/deps.ts";
import type { SignedIn } from "../identity/caller.ts";

/** Documents of one read, which has the connection's time (3 s): few enough for a store that is slow. */
const BATCH = 50;

/** What the service keeps about somebody, as the collections declare it (store/mongo/personal.ts). */
export function createAccountExport({ mongo, audit, clock }: Pick<FeatureDeps, "mongo" | "audit" | "clock">) {
  return {
    /** One JSON object in parts, read as it is taken. */
    async *of({ userId }: SignedIn, origin: Origin): AsyncGenerator<string> {
      audit("account.exported", { userId, origin }, {});
      yield `{"exported_at":${JSON.stringify(new Date(clock.now()))}`;
      for (const { name, part } of exportParts()) {
        yield `,${JSON.stringify(part.as ?? name)}:[`;
        let separator = "";
        const fields = Object.fromEntries(part.shows.map((field) => [field, 1]));
        const projection = { _id: 0, ...fields };
        // No maxTimeMS: it would count all batches of a list together, and no account may be too large.
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
  [by]: isKey ? keysUnder(userId) : userId,
});

/** As everything in the interface is written. */
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
