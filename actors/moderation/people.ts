import type { ClientSession } from "mongodb";
import type { RoomEffect } from "../../realtime/rooms/types.ts";
import { ServiceError } from "../../specs/contract/errors.ts";
import type { ChannelPeople, ChannelRole } from "../../store/mongo/channel-people.ts";
import { mayActOn, mayGiveRoleTo, mayTakeRole } from "../channels/roles.ts";
import type { Acts, Moderating, Rule } from "./acts.ts";

/** An act on one user of a channel. */
export type ActOn = Moderating & { targetId: string };

export type PeopleDeps = {
  acts: Acts;
  people: ChannelPeople;
  /** Throws `not_found` for an unknown user. */
  requireUser(userId: string): Promise<{ _id: string; username: string }>;
};

/**
 * Bans, timeouts and roles. Each act may be repeated, and one that finds its end already reached changes
 * nothing. On oneself: `self_target`; on the owner, on staff, by moderators on moderators: `forbidden`.
 */
export function createPeopleActs({ acts, people, requireUser }: PeopleDeps) {
  async function requireOther({ by, targetId }: ActOn): Promise<{ username: string }> {
    if (by === targetId) throw new ServiceError("self_target");
    return requireUser(targetId);
  }

  const onTarget = ({ targetId }: ActOn): Rule => ({ targetId, allows: mayActOn });

  async function dropRoles({ streamId, targetId }: ActOn, session: ClientSession): Promise<ChannelRole[]> {
    const wasModerator = await people.dropRole(streamId, targetId, "moderator", session);
    const wasVip = await people.dropRole(streamId, targetId, "vip", session);
    return [...(wasModerator ? ["moderator" as const] : []), ...(wasVip ? ["vip" as const] : [])];
  }

  /** Throws `invalid_state` for a banned user. Asked by a deletion that the throw undoes, so it can't be raced. */
  async function refuseBanned({ streamId, targetId }: ActOn, session: ClientSession): Promise<void> {
    if (await people.dropBan(streamId, targetId, "ban", session)) {
      throw new ServiceError("invalid_state", { status: "banned" });
    }
  }

  async function lift(act: ActOn, kind: "ban" | "timeout"): Promise<void> {
    await requireUser(act.targetId);
    await acts.enforce(act, onTarget(act), async (stream, session) => {
      const lifted = await people.dropBan(act.streamId, act.targetId, kind, session);
      if (!lifted) return null;
      return {
        effects: [{ kind: "unban", userId: act.targetId }],
        log: [acts.entry(stream, act, { action: kind === "ban" ? "unban" : "untimeout" })],
      };
    });
  }

  return {
    /**
     * For good; the user's messages in the room's log disappear, and so does the rank of moderator or VIP.
     * Replaces a timeout.
     */
    async ban(act: ActOn, reason: string | null): Promise<void> {
      const { streamId, targetId: userId, by } = act;
      const { username } = await requireOther(act);
      await acts.enforce(act, onTarget(act), async (stream, session) => {
        await people.setBan({ streamId, userId, by, until: null, reason, createdAt: acts.now() }, session);
        const dropped = await dropRoles(act, session);
        const ban: RoomEffect = { kind: "ban", userId, untilMs: null };
        return {
          effects: dropped.length > 0 ? [ban, { kind: "role", userId, role: null }] : [ban],
          dropped,
          events: [{ type: "chat.user_banned", data: { user_id: userId, username } }],
          log: [acts.entry(stream, act, { action: "ban", reason })],
        };
      });
    },

    unban: (act: ActOn) => lift(act, "ban"),

    /** Refused with `invalid_state` for a banned user, since it would shorten the ban. */
    async timeout(act: ActOn, durationSeconds: number, reason: string | null): Promise<void> {
      const { streamId, targetId: userId, by } = act;
      const { username } = await requireOther(act);
      const until = new Date(acts.now().getTime() + durationSeconds * 1_000);
      await acts.enforce(act, onTarget(act), async (stream, session) => {
        await refuseBanned(act, session);
        await people.setBan({ streamId, userId, by, until, reason, createdAt: acts.now() }, session);
        return {
          effects: [{ kind: "ban", userId, untilMs: until.getTime() }],
          events: [
            {
              type: "chat.user_timed_out",
              data: { user_id: userId, username, duration_seconds: durationSeconds },
            },
          ],
          log: [acts.entry(stream, act, { action: "timeout", reason, durationSeconds })],
        };
      });
    },

    untimeout: (act: ActOn) => lift(act, "timeout"),

    /** Replaces the other role. Refused with `invalid_state` for a banned user. */
    async addRole(act: ActOn, role: ChannelRole): Promise<void> {
      const { streamId, targetId: userId, by: grantedBy } = act;
      await requireOther(act);
      await acts.enforce(act, { targetId: userId, allows: mayGiveRoleTo }, async (stream, session) => {
        await refuseBanned(act, session);
        const had = await people.dropRole(streamId, userId, role, session);
        await people.setRole({ streamId, userId, role, grantedBy, createdAt: acts.now() }, session);
        if (had) return null;
        return {
          effects: [{ kind: "role", userId, role }],
          log: [acts.entry(stream, act, { action: role === "vip" ? "vip" : "mod" })],
        };
      });
    },

    /** Taking a rank away is the owner's business with anyone, also with staff. */
    async removeRole(act: ActOn, role: ChannelRole): Promise<void> {
      const { streamId, targetId: userId } = act;
      await requireUser(userId);
      await acts.enforce(act, { targetId: null, allows: mayTakeRole }, async (stream, session) => {
        const held = await people.dropRole(streamId, userId, role, session);
        if (!held) return null;
        return {
          effects: [{ kind: "role", userId, role: null }],
          log: [acts.entry(stream, act, { action: role === "vip" ? "unvip" : "unmod" })],
        };
      });
    },
  };
}

export type PeopleActs = ReturnType<typeof createPeopleActs>;
