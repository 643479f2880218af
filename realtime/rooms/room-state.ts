import type { Clock } from "../../base/clock.ts";
import type { Position } from "../../base/room-position.ts";
import { unavailable } from "../../contract/errors.ts";
import type { Users } from "../../store/mongo/accounts/users.ts";
import type { GrantedRoles } from "../../store/mongo/channels/channel-roles.ts";
import type { Streams } from "../../store/mongo/channels/streams.ts";
import type { ChatBans } from "../../store/mongo/chat/chat-bans.ts";
import type { ChatHidden } from "../../store/mongo/chat/chat-hidden.ts";
import type { ChatMessages } from "../../store/mongo/chat/chat-messages.ts";
import { onRedis } from "../../store/redis/connect.ts";
import { keys } from "../../store/redis/keys.ts";
import type { ServerRun, ServerRuns } from "../../store/redis/server-run.ts";
import type { LookupSlots } from "./lookup-slots.ts";
import { type Patience, UNLIMITED } from "./patience.ts";
import { createRoomLoading } from "./room-loading.ts";
import type { EffectiveModes } from "./state/modes.ts";
import { type RoomRole, readState } from "./state/state-hash.ts";

/** What one user may do in a room and has to wait for, and the rules in force. */
export type RoomMemberState = {
  position: Position;
  modes: EffectiveModes;
  role: RoomRole | null;
  /** 0 for a permanent ban, else the end of the ban (ms); null for neither ban nor timeout. */
  bannedUntilMs: number | null;
  /** When the user's last message was admitted, ms. */
  lastSentMs: number | null;
};

const ATTEMPTS = 4;

/**
 * A room's admission state in Redis, loaded from MongoDB whenever the current server doesn't have it. Without it nothing is
 * admitted, so a room fails closed.
 */
export function createRoomState(deps: {
  runs: ServerRuns;
  streams: Streams;
  grantedRoles: GrantedRoles;
  chatBans: ChatBans;
  archive: ChatMessages;
  hidden: Pick<ChatHidden, "reaching">;
  owners: Pick<Users, "loadStanding">;
  slots: LookupSlots;
  clock: Clock;
}) {
  const { runs, clock } = deps;
  const load = createRoomLoading(deps);

  /**
   * Runs a script at the room's server. When the state is missing or was loaded on another server, it looks up the server
   * again, loads the state, and retries.
   * Gives up with `unavailable`, which happens only if the server changes with every attempt. `patience` is for the load.
   */
  async function withState<Reply extends { kind: string }>(
    streamId: string,
    attempt: (run: ServerRun) => Promise<Reply>,
    patience: Pick<Patience, "for"> = UNLIMITED,
  ): Promise<Exclude<Reply, { kind: "stateMissing" | "otherServer" }>> {
    const key = keys.roomState(streamId);
    for (let tries = 0; tries < ATTEMPTS; tries++) {
      const reply = await attempt(await runs.current(key));
      if (isSettled(reply)) return reply;
      if (reply.kind === "otherServer") runs.forget(key);
      await patience.for(load(streamId, await runs.current(key)));
    }
    throw unavailable();
  }

  /** The room's head and rules, and the state of one user in it (null: of nobody). */
  async function memberState(streamId: string, userId: string | null): Promise<RoomMemberState> {
    const known = await withState(streamId, async ({ id, node }) => {
      const [state, last] = await Promise.all([
        readState(node, streamId, userId),
        userId === null ? null : onRedis(() => node.lindex(keys.roomUser(streamId, userId), 0)),
      ]);
      if (!state) return { kind: "stateMissing" as const };
      if (state.run !== id) return { kind: "otherServer" as const };
      return {
        kind: "found" as const,
        ...state,
        lastSentMs: last ? Number(last.split(":", 1)[0]) : null,
      };
    });
    const { kind: _found, run: _run, bannedUntilMs, ...rest } = known;
    const inForce = bannedUntilMs === 0 || (bannedUntilMs ?? 0) > clock.now();
    return { ...rest, bannedUntilMs: inForce ? bannedUntilMs : null };
  }

  return {
    withState,
    memberState: memberState,
  };
}

export type RoomStates = ReturnType<typeof createRoomState>;

function isSettled<Reply extends { kind: string }>(
  reply: Reply,
): reply is Exclude<Reply, { kind: "stateMissing" | "otherServer" }> {
  return reply.kind !== "stateMissing" && reply.kind !== "otherServer";
}
