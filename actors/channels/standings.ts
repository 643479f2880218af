import type { ClientSession } from "mongodb";
import type { ChannelPeople } from "../../store/mongo/channel-people.ts";
import type { StreamDoc } from "../../store/mongo/streams.ts";
import { type Standing, standingOf } from "./roles.ts";

/** Looks up what somebody is in a channel, by the rule in roles.ts. */
export function createStandings(deps: {
  people: Pick<ChannelPeople, "roleOf">;
  isStaff(userId: string): Promise<boolean>;
}) {
  return {
    /** Inside a transaction that changes the channel (`session`): what no other act can change any more. */
    async of(
      stream: Pick<StreamDoc, "_id" | "userId">,
      userId: string,
      session?: ClientSession,
    ): Promise<Standing> {
      const [role, isStaff] = await Promise.all([
        deps.people.roleOf(stream._id, userId, session),
        deps.isStaff(userId),
      ]);
      return standingOf({ userId, ownerId: stream.userId, isStaff, role });
    },
  };
}

export type Standings = ReturnType<typeof createStandings>;
