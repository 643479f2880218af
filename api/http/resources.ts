import { type ChannelRoles, isModerating, type MemberRole } from "../../actors/channels/channel-roles.ts";
import type { Caller } from "../../actors/identity/caller.ts";
import { ServiceError } from "../../specs/contract/errors.ts";
import type { LoadedKind } from "../../specs/contract/loaded-kinds.ts";
import type { Access, Operation } from "../../specs/contract/openapi-document.ts";
import type { Audit, Origin } from "../../store/audit.ts";
import type { ClipDoc } from "../../store/mongo/clips.ts";
import type { PollDoc } from "../../store/mongo/polls.ts";
import type { PredictionDoc } from "../../store/mongo/predictions.ts";
import type { RaidDoc } from "../../store/mongo/raids.ts";
import type { RedemptionDoc } from "../../store/mongo/redemptions.ts";
import type { RewardDoc } from "../../store/mongo/rewards.ts";
import type { StreamDoc } from "../../store/mongo/streams.ts";
import type { VideoDoc } from "../../store/mongo/videos.ts";
import { auditStaffAct, auditStaffRead, isStaffRead } from "./staff-acts.ts";

/** The resource that a path names, its channel, and its author: without `authorId` the channel's owner. */
type Loaded<Thing> = { thing: Thing; channel: Pick<StreamDoc, "_id" | "userId">; authorId?: string };

type ResourceRequest = { caller: Caller; params: Record<string, unknown>; origin: Origin };

export type ResourceDeps = {
  /** Each throws `not_found`. */
  channels: { require(id: string): Promise<StreamDoc> };
  predictions: { require(id: string): Promise<PredictionDoc> };
  rewards: { require(id: string): Promise<RewardDoc> };
  redemptions: { require(id: string): Promise<RedemptionDoc> };
  raids: { require(id: string): Promise<RaidDoc> };
  polls: { require(id: string): Promise<PollDoc> };
  clips: { require(id: string): Promise<ClipDoc> };
  media: { requireVideo(id: string): Promise<VideoDoc> };
  channelRoles: ChannelRoles;
  audit: Audit;
};

/** One loader per kind in the document's rules; a handler gets the resource under the kind's name. */
const LOADERS = {
  async stream({ channels }: ResourceDeps, id: string) {
    const stream = await channels.require(id);
    return { thing: stream, channel: stream };
  },
  async prediction({ predictions }: ResourceDeps, id: string) {
    const prediction = await predictions.require(id);
    const { streamId, channelUserId } = prediction;
    return { thing: prediction, channel: { _id: streamId, userId: channelUserId } };
  },
  async reward({ rewards }: ResourceDeps, id: string) {
    const reward = await rewards.require(id);
    const { streamId, channelUserId } = reward;
    return { thing: reward, channel: { _id: streamId, userId: channelUserId } };
  },
  async redemption({ redemptions }: ResourceDeps, id: string) {
    const redemption = await redemptions.require(id);
    const { streamId, channelUserId, redeemerId: authorId } = redemption;
    return { thing: redemption, channel: { _id: streamId, userId: channelUserId }, authorId };
  },
  async raid({ raids }: ResourceDeps, id: string) {
    const raid = await raids.require(id);
    return { thing: raid, channel: { _id: raid.sourceStreamId, userId: raid.sourceUserId } };
  },
  async poll({ polls }: ResourceDeps, id: string) {
    const poll = await polls.require(id);
    return { thing: poll, channel: { _id: poll.streamId, userId: poll.channelUserId } };
  },
  async clip({ clips }: ResourceDeps, id: string) {
    const clip = await clips.require(id);
    const { streamId, channelUserId, userId: authorId } = clip;
    return { thing: clip, channel: { _id: streamId, userId: channelUserId }, authorId };
  },
  async video({ media }: ResourceDeps, id: string) {
    const video = await media.requireVideo(id);
    return { thing: video, channel: { _id: video.streamId, userId: video.userId } };
  },
} satisfies Record<LoadedKind, (deps: ResourceDeps, id: string) => Promise<Loaded<object>>>;

/** The type of the resource that a handler gets for a kind. */
export type ThingOf<Kind extends LoadedKind> = Awaited<ReturnType<(typeof LOADERS)[Kind]>>["thing"];

/** Who passes a rule of x-access: `moderator` includes the owner and staff, `owner` nobody else. */
const PASSES: Record<NonNullable<Access["channel"]>, (role: MemberRole) => boolean> = {
  owner: (role) => role === "owner",
  moderator: isModerating,
};

/**
 * Loads the resource that an operation's path names and checks the caller's access, both as the document declares it
 * (x-loads, x-access). A handler gets the resource, and the caller's role if the document requires one. What staff change
 * only by being staff is recorded in the audit log, and what only staff may read.
 */
export function createResources(deps: ResourceDeps) {
  return {
    /** Returns what runs before the operation's handler; null for nothing. Throws `not_found`, `forbidden`. */
    of(
      operation: Pick<Operation, "operationId" | "x-loads" | "x-access">,
      method: string,
    ): ((request: ResourceRequest) => Promise<object>) | null {
      const { operationId, "x-loads": kind, "x-access": access } = operation;
      if (kind === undefined) return null;
      return async ({ caller, params, origin }) => {
        const loaded: Loaded<object> = await LOADERS[kind](deps, String(params[`${kind}_id`]));
        const named = { [kind]: loaded.thing };
        const { authorId = loaded.channel.userId } = loaded;
        const isAuthor = caller.kind === "user" && caller.userId === authorId;
        if (access.channel === undefined && access.role !== true) return named;
        const role =
          caller.kind === "user" ? await deps.channelRoles.roleOf(loaded.channel, caller.userId) : null;
        if (!passes(access, role, isAuthor)) throw new ServiceError("forbidden");
        const isOthers = access.channel !== undefined && !(allows(access.or, "author") && isAuthor);
        if (method !== "get" && isOthers)
          auditStaffAct(deps.audit, role, { operationId, caller, origin, named: params });
        return { ...named, role };
      };
    },

    /** Returns what runs with the operation's answer before that is sent; null for nothing. */
    answered(
      operation: Pick<Operation, "operationId" | "x-access">,
      method: string,
    ): ((request: ResourceRequest, answer: unknown) => void) | null {
      if (!isStaffRead(operation, method)) return null;
      const { operationId } = operation;
      return ({ caller, origin, params: named }, answer) =>
        auditStaffRead(deps.audit, { operationId, caller, origin, named }, answer);
    },
  };
}

export type Resources = ReturnType<typeof createResources>;

function passes({ channel, or }: Access, role: MemberRole, isAuthor: boolean): boolean {
  if (channel === undefined || PASSES[channel](role)) return true;
  return (allows(or, "staff") && role === "staff") || (allows(or, "author") && isAuthor);
}

const allows = (or: Access["or"], who: "author" | "staff"): boolean => or === who || or === "author_or_staff";
