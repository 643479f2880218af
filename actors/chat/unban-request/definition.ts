import type { Db } from "mongodb";
import { usersIn } from "../../../store/mongo/accounts/users.ts";
import { blocksIn } from "../../../store/mongo/channels/blocks.ts";
import { channelRolesIn } from "../../../store/mongo/channels/channel-roles.ts";
import { streamsIn } from "../../../store/mongo/channels/streams.ts";
import { chatBansIn } from "../../../store/mongo/chat/chat-bans.ts";
import { ONE_PENDING_REQUEST, unbanRequestsIn } from "../../../store/mongo/chat/unban-requests.ts";
import { isAbleStaff } from "../../accounts/public.ts";
import { createChannelRoles, isModerating } from "../../channels/public.ts";
import type { ActorState } from "../../host/actor-types.ts";
import { type ActorDefinition, type Decision, refuse } from "../../host/definition.ts";
import { type UnbanRequestReads, type UnbanRequestTypes, unbanRequestEffects } from "./effects.ts";
import {
  UNBAN_REQUEST_VERSION,
  type UnbanRequestCommand,
  type UnbanRequestContext,
  type UnbanRequestInput,
  unbanRequestCommands,
  unbanRequestContext,
  unbanRequestInput,
  unbanRequestMachine,
} from "./machine.ts";
import { retryAtOf, unbanRequestDoc } from "./view.ts";

export type UnbanRequestDefinition = ActorDefinition<UnbanRequestTypes>;

const NOTHING: UnbanRequestReads = { ban: null, users: new Map(), moderators: new Set(), creation: null };

export function unbanRequestDefinition(db: Db): UnbanRequestDefinition {
  const requests = unbanRequestsIn(db);
  const chatBans = chatBansIn(db);
  const streams = streamsIn(db);
  const users = usersIn(db);
  const { roleOf } = createChannelRoles({
    grantedRoles: channelRolesIn(db),
    blocks: blocksIn(db),
    isStaff: async (userId) => isAbleStaff(await users.findPublic(userId)),
  });

  async function moderatorsOf(
    { streamId, channelUserId }: UnbanRequestInput,
    deciding: readonly string[],
  ): Promise<ReadonlySet<string>> {
    const channel = { _id: streamId, userId: channelUserId };
    const roles = await Promise.all(deciding.map((userId) => roleOf(channel, userId)));
    return new Set(deciding.filter((_, i) => isModerating(roles[i] ?? null)));
  }

  async function creationOf({ streamId, userId }: UnbanRequestInput, now: Date) {
    const [stream, denied] = await Promise.all([
      streams.find(streamId),
      requests.lastDenied(streamId, userId),
    ]);
    const retryAt = denied && retryAtOf(denied);
    return {
      isOn: stream?.takesUnbanRequests ?? true,
      waitMs: retryAt ? Math.max(0, retryAt.getTime() - now.getTime()) : 0,
    };
  }

  return {
    name: "unban-request",
    version: UNBAN_REQUEST_VERSION,
    machine: unbanRequestMachine,
    context: unbanRequestContext,
    input: unbanRequestInput,
    commands: unbanRequestCommands,

    async prepare({ context, pending, now }) {
      const input = context ? null : (pending.find((one) => one.input)?.input ?? null);
      const request = context ?? input;
      if (!request) return NOTHING;
      const { streamId, userId, channelUserId } = request;
      const deciding = new Set(pending.flatMap(({ command }) => decidedBy(command) ?? []));
      const [found, creation, moderators] = await Promise.all([
        chatBans.banOf(streamId, userId),
        input && creationOf(input, now),
        moderatorsOf(request, [...deciding]),
      ]);
      const ban = found?.until === null ? found : null;
      const people = [userId, channelUserId, ban?.by, ...pending.map(({ by }) => by)];
      const ids = [...new Set(people.filter((id) => typeof id === "string"))];
      const known = (await Promise.all(ids.map(users.loadWithoutSecrets))).filter((user) => user !== null);
      return { ban, creation, moderators, users: new Map(known.map((user) => [user._id, user])) };
    },

    // The ban isn't lifted between this read and a new request, which whoever lifts it would not see.
    guards: ({ ban, creation }) =>
      creation && ban ? [{ collection: "chat_bans", id: ban._id, has: { until: null } }] : [],

    unique: { [ONE_PENDING_REQUEST]: { code: "unban_request_pending" } },

    refuseCreation(_input, { ban, creation }) {
      if (!ban) return { code: "not_banned" };
      if (!creation?.isOn) return { code: "unban_requests_disabled" };
      const { waitMs } = creation;
      return waitMs === 0 ? null : { code: "unban_request_denied", details: { retry_after_ms: waitMs } };
    },

    decide,
    effects: unbanRequestEffects(db, roleOf),
    save: (states, session) => requests.save(states.map(unbanRequestDoc), session),
    answer: unbanRequestDoc,
  };
}

type Scope = { state: ActorState<UnbanRequestContext>; reads: UnbanRequestReads };

const decidedBy = (command: UnbanRequestCommand | null): string | null =>
  command?.type === "approve" || command?.type === "deny" ? command.moderatorId : null;

/** Routes ask for the role too; it may be taken back before the commit. A ban that was lifted meanwhile has sent `banLifted`, which is under way. */
function decide(command: UnbanRequestCommand, { state, reads }: Scope): Decision<UnbanRequestCommand> {
  const moderator = decidedBy(command);
  // The machine refuses it in any other state.
  if (moderator === null || state.status !== "pending") return { ok: true, event: command };
  if (!reads.moderators.has(moderator)) return refuse("forbidden");
  if (!reads.ban) return refuse("not_banned");
  return { ok: true, event: command };
}
