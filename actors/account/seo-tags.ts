import { ServiceError } from "../../specs/contract/errors.ts";
import { usersIn } from "../../store/mongo/users.ts";
import type { FeatureDeps } from "../features/deps.ts";

/** Of the interface; everything else is the owner's own. */
const KNOWN: ReadonlySet<string> = new Set([
  "title",
  "description",
  "keywords",
  "location",
  "category",
  "language",
  "country",
  "city",
  "last_modified",
]);
const MOST_OWN = 20;

/** What search engines and social networks are told of a channel. */
export function createSeoTags({ mongo, clock }: Pick<FeatureDeps, "mongo" | "clock">) {
  const users = usersIn(mongo.db);
  return {
    /** Replaces all; none at all for nothing. Form and size are the contract's, but for the number. */
    async set(userId: string, tags: Record<string, unknown>): Promise<Record<string, unknown>> {
      const { last_modified: _ours, ...given } = tags;
      if (Object.keys(given).filter((name) => !KNOWN.has(name)).length > MOST_OWN) {
        throw new ServiceError("validation_failed", {
          errors: [
            { path: "/body", rule: "maxProperties", message: `must not have more than ${MOST_OWN} own tags` },
          ],
        });
      }
      const at = new Date(clock.now());
      const seoTags = Object.keys(given).length === 0 ? {} : { ...given, last_modified: at.toISOString() };
      const change = { $set: { seoTags, updatedAt: at } };
      const user = await users.update(userId, change, { expected: { status: "active" } });
      if (!user) throw new ServiceError("invalid_token");
      return user.seoTags;
    },
  };
}
