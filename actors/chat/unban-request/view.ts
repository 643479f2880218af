import type { OwnUnbanRequest, UnbanRequest } from "../../../contract/wire.ts";
import type { UserWithoutSecrets } from "../../../store/mongo/accounts/users.ts";
import type { ChatBanDoc } from "../../../store/mongo/chat/chat-bans.ts";
import { UNBAN_REQUEST_STATUSES, type UnbanRequestDoc } from "../../../store/mongo/chat/unban-requests.ts";
import { summaryOf } from "../../accounts/public.ts";
import type { ActorState } from "../../host/actor-types.ts";
import { publicStatus } from "../../host/public-status.ts";
import { UNBAN_REQUEST_COOLDOWN_MS, type UnbanRequestContext } from "./machine.ts";

/** When the user of a denied request may ask again; null where it doesn't keep them. */
export const retryAtOf = ({ status, resolvedAt }: UnbanRequestDoc): Date | null =>
  status === "denied" && resolvedAt ? new Date(resolvedAt.getTime() + UNBAN_REQUEST_COOLDOWN_MS) : null;

/** By id; erased accounts are missing. */
type Users = ReadonlyMap<string, UserWithoutSecrets>;

const ended = ({ status, note, createdAt, resolvedAt }: UnbanRequestDoc) => ({
  status,
  note,
  created_at: createdAt.toISOString(),
  resolved_at: resolvedAt?.toISOString() ?? null,
});

/** As the room's moderators see it. `ban`: the user's present one in that room; null for none. */
export function unbanRequestView(
  doc: UnbanRequestDoc,
  { users, ban }: { users: Users; ban: ChatBanDoc | null },
): UnbanRequest {
  const { _id: id, userId, message, resolvedBy, isPending } = doc;
  const summary = (one: string) => summaryOf(one, users.get(one));
  return {
    id,
    user: summary(userId),
    message,
    ...ended(doc),
    resolved_by: resolvedBy === null ? null : summary(resolvedBy),
    // Once it is resolved, a ban would be another one.
    ban:
      isPending && ban
        ? { reason: ban.reason, created_at: ban.createdAt.toISOString(), by: summary(ban.by) }
        : null,
  };
}

/** As the user sees it, who isn't told which moderator decided. */
export function ownUnbanRequestView(doc: UnbanRequestDoc, users: Users): OwnUnbanRequest {
  const { _id: id, streamId, channelUserId, message } = doc;
  return {
    id,
    stream_id: streamId,
    channel: summaryOf(channelUserId, users.get(channelUserId)),
    message,
    ...ended(doc),
    retry_at: retryAtOf(doc)?.toISOString() ?? null,
  };
}

/** The projection of an actor's state; the only place that maps states to public statuses. */
export function unbanRequestDoc(state: ActorState<UnbanRequestContext>): UnbanRequestDoc {
  const { id, context } = state;
  const { streamId, channelUserId, userId, message, note, requestedAt, resolvedAt, resolvedBy } = context;
  const status = publicStatus(state, UNBAN_REQUEST_STATUSES);
  return {
    _id: id,
    streamId,
    channelUserId,
    userId,
    message,
    status,
    isPending: status === "pending",
    note,
    createdAt: new Date(requestedAt),
    resolvedAt: resolvedAt === null ? null : new Date(resolvedAt),
    resolvedBy,
  };
}
