import { ServiceError } from "../../contract/errors.ts";
import { type UserWithoutSecrets, usersIn } from "../../store/mongo/accounts/users.ts";
import { blocksIn } from "../../store/mongo/channels/blocks.ts";
import type { Viewer } from "../accounts/public.ts";
import type { FeatureDeps } from "../features/deps.ts";

type Owner = Pick<UserWithoutSecrets, "status">;

/**
 * For whom a channel and all that belongs to it is there. Of an account that is banned or deleted only staff see it: to anybody
 * else it looks as if it had never been. Whom its owner has blocked may read and watch there, but not write or act.
 */
export function createChannelAccess({ mongo, staff }: Pick<FeatureDeps, "mongo" | "staff">) {
  const users = usersIn(mongo.db);
  const blocks = blocksIn(mongo.db);

  return {
    /** `known` is what was just read of the owner. Throws `not_found`. */
    async requireVisible(ownerId: string, viewer: Viewer, known?: Owner): Promise<void> {
      if (viewer?.userId === ownerId) return;
      const owner = known ?? (await users.loadStanding(ownerId));
      if (owner?.status === "active") return;
      if (viewer === null || !(await staff.seesAsStaff(viewer))) throw new ServiceError("not_found");
      viewer.shownOwnerId = ownerId;
    },

    /** For users who write or act in the owner's channel: a block of theirs doesn't count. Throws `blocked`. */
    async requireNotBlockedBy(ownerId: string, userId: string): Promise<void> {
      if ((await blocks.blockedBy(ownerId, [userId])).has(userId)) throw new ServiceError("blocked");
    },
  };
}

export type ChannelAccess = ReturnType<typeof createChannelAccess>;
