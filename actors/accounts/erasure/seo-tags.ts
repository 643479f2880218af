import type { Clock } from "../../../base/clock.ts";
import { invalid, ServiceError } from "../../../contract/errors.ts";
import { usersIn } from "../../../store/mongo/accounts/users.ts";
import type { Mongo } from "../../../store/mongo/driver/connect.ts";

/** Tags defined by the API; all others are the owner's own. */
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
const MAX_OWN = 20;

/** A channel's tags for search engines and social networks. */
export function createSeoTags({ mongo, clock }: { mongo: Mongo; clock: Clock }) {
  const users = usersIn(mongo.db);
  return {
    /** Replaces all tags; an empty object removes them. The contract checks form and size, except for the number of own tags. */
    async set(userId: string, tags: Record<string, unknown>): Promise<Record<string, unknown>> {
      const { last_modified: _reserved, ...given } = tags;
      if (Object.keys(given).filter((name) => !KNOWN.has(name)).length > MAX_OWN) {
        throw invalid({
          path: "/body",
          rule: "maxProperties",
          message: `must not have more than ${MAX_OWN} own tags`,
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
