import { isModerating, type Standing, standingOf } from "../../actors/channels/roles.ts";
import type { Caller } from "../../actors/identity/caller.ts";
import { ServiceError } from "../../specs/contract/errors.ts";
import type { ChannelPeople } from "../../store/mongo/channel-people.ts";
import type { StreamDoc, Streams } from "../../store/mongo/streams.ts";

export type Admitted = { stream: StreamDoc; standing: Standing };

/**
 * What a caller may do in a channel. Each throws `not_found` for an unknown stream and otherwise gives the
 * stream back, so that a route reads it once.
 */
export function createAccess(deps: {
  streams: Streams;
  people: ChannelPeople;
  isStaff(userId: string): Promise<boolean>;
}) {
  async function admit(caller: Caller, streamId: string): Promise<Admitted> {
    const stream = await deps.streams.find(streamId);
    if (!stream) throw new ServiceError("not_found");
    if (caller.kind !== "user") return { stream, standing: null };
    if (caller.userId === stream.userId) return { stream, standing: "owner" };
    const [isStaff, role] = await Promise.all([
      deps.isStaff(caller.userId),
      deps.people.roleOf(streamId, caller.userId),
    ]);
    return { stream, standing: standingOf({ userId: caller.userId, ownerId: stream.userId, isStaff, role }) };
  }

  async function requireWhere(
    caller: Caller,
    streamId: string,
    admits: (standing: Standing) => boolean,
  ): Promise<Admitted> {
    const admitted = await admit(caller, streamId);
    if (!admits(admitted.standing)) throw new ServiceError("forbidden");
    return admitted;
  }

  return {
    /** The stream and what the caller is in its channel. */
    admit,
    /** What the caller is in the channel; null for everybody else. */
    roleOf: async (caller: Caller, streamId: string): Promise<Standing> =>
      (await admit(caller, streamId)).standing,
    /** Owner, moderators and staff pass. */
    requireModerator: (caller: Caller, streamId: string) => requireWhere(caller, streamId, isModerating),
    /** The owner alone passes, staff don't. */
    requireOwner: (caller: Caller, streamId: string) =>
      requireWhere(caller, streamId, (standing) => standing === "owner"),
    /** For what is the owner's business and staff may look into. */
    requireOwnerOrStaff: (caller: Caller, streamId: string) =>
      requireWhere(caller, streamId, (standing) => standing === "owner" || standing === "staff"),
  };
}

export type ChannelAccess = ReturnType<typeof createAccess>;
