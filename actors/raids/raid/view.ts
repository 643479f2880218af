import type { Raid, RaidUpdate } from "../../../contract/wire.ts";
import type { UserWithoutSecrets } from "../../../store/mongo/accounts/users.ts";
import { RAID_STATUSES, type RaidDoc } from "../../../store/mongo/raids/raids.ts";
import { summaryOf } from "../../accounts/public.ts";
import type { ActorState } from "../../host/actor-types.ts";
import { publicStatus } from "../../host/public-status.ts";
import type { RaidContext } from "./machine.ts";

export function raidView(doc: RaidDoc): Raid {
  return {
    id: doc._id,
    source_user_id: doc.sourceUserId,
    target_user_id: doc.targetUserId,
    source_stream_id: doc.sourceStreamId,
    target_stream_id: doc.targetStreamId,
    viewer_count: doc.viewerCount,
    status: doc.status,
    ...(doc.message === null ? {} : { message: doc.message }),
    ...(doc.startedAt === null ? {} : { started_at: doc.startedAt.toISOString() }),
    ...(doc.completedAt === null ? {} : { completed_at: doc.completedAt.toISOString() }),
    created_at: doc.createdAt.toISOString(),
  };
}

/** A raid as a room sees it. The target's room gets the message only once the raid has departed, that is, was accepted then. */
export function raidUpdateView(
  doc: RaidDoc,
  users: ReadonlyMap<string, UserWithoutSecrets>,
  streamId: string,
): RaidUpdate {
  const showsMessage = streamId !== doc.targetStreamId || doc.startedAt !== null;
  const summary = (id: string) => summaryOf(id, users.get(id));
  return {
    raid: raidView(showsMessage ? doc : { ...doc, message: null }),
    source_user: summary(doc.sourceUserId),
    target_user: summary(doc.targetUserId),
  };
}

/** The projection of an actor's state; the only place that maps states to public statuses. */
export function raidDoc(state: ActorState<RaidContext>): RaidDoc {
  const { id, path, context } = state;
  const status = publicStatus(state, RAID_STATUSES);
  const dateOf = (ms: number | null) => (ms === null ? null : new Date(ms));
  return {
    _id: id,
    sourceUserId: context.sourceUserId,
    sourceStreamId: context.sourceStreamId,
    targetUserId: context.targetUserId,
    targetStreamId: context.targetStreamId,
    status,
    isOpen: status === "pending" || status === "active",
    takesArrivals: path === "active.arriving",
    viewerCount: context.viewers,
    message: context.message,
    createdBy: context.createdBy,
    createdAt: new Date(context.createdAt),
    startedAt: dateOf(context.startedAt),
    completedAt: dateOf(context.completedAt),
  };
}
