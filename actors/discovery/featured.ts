import type { Actor } from "../../base/audit.ts";
import type { Clock } from "../../base/clock.ts";
import { ServiceError } from "../../contract/errors.ts";
import type { UserWithoutSecrets } from "../../store/mongo/accounts/users.ts";
import { featuredChannelsIn } from "../../store/mongo/discovery/featured-channels.ts";
import type { Mongo } from "../../store/mongo/driver/connect.ts";
import type { Directory } from "../accounts/public.ts";
import type { DiscoveryChanges } from "./discovery-changes.ts";

type Deps = {
  mongo: Mongo;
  changeDiscovery: DiscoveryChanges;
  directory: Pick<Directory, "usersInOrder">;
  clock: Clock;
};

export type Featured = ReturnType<typeof createFeatured>;

/** Channels that staff feature on the home page; they are shown while they are live. */
export function createFeatured({ mongo, changeDiscovery, directory, clock }: Deps) {
  const featured = featuredChannelsIn(mongo.db);

  async function visible(userIds: string[]): Promise<UserWithoutSecrets[]> {
    return (await directory.usersInOrder(userIds)).filter(({ status }) => status !== "deleted");
  }

  return {
    userIds: () => featured.userIds(),
    users: async () => visible(await featured.userIds()),

    /** Replaces the list, in that order. Throws `not_found` when one of them has no account. */
    async set(by: Actor, userIds: string[]): Promise<void> {
      if ((await visible(userIds)).length < userIds.length) throw new ServiceError("not_found");
      await changeDiscovery(async (session, note) => {
        await featured.replace(userIds, new Date(clock.now()), session);
        note("featured.changed", by, { accounts: userIds.join(" ") });
      });
    },
  };
}
