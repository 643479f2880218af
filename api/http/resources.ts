import { type Caller, type Viewer, viewerOf } from "../../actors/accounts/tokens/caller.ts";
import type { ChannelAccess } from "../../actors/channels/channel-access.ts";
import { type ChannelRoles, isModerating, type MemberRole } from "../../actors/channels/channel-roles.ts";
import type { Audit, Origin } from "../../base/audit.ts";
import { ServiceError } from "../../contract/errors.ts";
import type { LoadedKind } from "../../contract/loaded-kinds.ts";
import type { Access, Operation } from "../../contract/openapi-document.ts";
import type { UserWithoutSecrets } from "../../store/mongo/accounts/users.ts";
import type { StreamDoc } from "../../store/mongo/channels/streams.ts";
import type { PollDoc } from "../../store/mongo/chat/polls.ts";
import type { ClipDoc } from "../../store/mongo/live/clips.ts";
import type { VideoDoc } from "../../store/mongo/live/videos.ts";
import type { PredictionDoc } from "../../store/mongo/points/predictions.ts";
import type { RedemptionDoc } from "../../store/mongo/points/redemptions.ts";
import type { RewardDoc } from "../../store/mongo/points/rewards.ts";
import type { RaidDoc } from "../../store/mongo/raids/raids.ts";
import { auditStaffAct, auditStaffRead, isStaffRead } from "./staff-acts.ts";

/** The resource that a path names, whose it is, and its author: without `authorId` the channel's owner. A user has no roles. */
type Loaded<Thing> = {
  thing: Thing;
  channel: Pick<StreamDoc, "userId"> & { _id: string | null };
  owner?: UserWithoutSecrets;
  authorId?: string;
};

type ResourceRequest = { caller: Caller; params: Record<string, unknown>; origin: Origin };

export type ResourceDeps = {
  /** Each throws `not_found`. */
  channels: { require(id: string): Promise<StreamDoc> };
  predictions: { require(id: string): Promise<PredictionDoc> };
  rewards: { require(id: string): Promise<RewardDoc> };
  redemptions: { require(id: string): Promise<RedemptionDoc> };
  raids: { require(id: string): Promise<RaidDoc> };
  polls: { require(id: string): Promise<PollDoc> };
  clips: {
    require(id: string): Promise<ClipDoc>;
    maySee(clip: ClipDoc, viewer: Viewer): Promise<boolean>;
  };
  media: { requireVideo(id: string): Promise<VideoDoc> };
  /** By id or name, whatever the account's standing. */
  identity: {
    requireKnown(idOrName: string): Promise<UserWithoutSecrets>;
    seesAsStaff(viewer: Viewer): Promise<boolean>;
  };
  channelAccess: ChannelAccess;
  channelRoles: ChannelRoles;
  audit: Audit;
};

/** One loader per kind in the document's rules; a handler gets the resource under the kind's name. What is private isn't there for others. */
const LOADERS = {
  async user({ identity }: ResourceDeps, idOrName: string) {
    const user = await identity.requireKnown(idOrName);
    return { thing: user, channel: { _id: null, userId: user._id }, owner: user };
  },
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
  async clip({ clips }: ResourceDeps, id: string, viewer: Viewer) {
    const clip = await clips.require(id);
    if (!(await clips.maySee(clip, viewer))) throw new ServiceError("not_found");
    const { streamId, channelUserId, userId: authorId } = clip;
    return { thing: clip, channel: { _id: streamId, userId: channelUserId }, authorId };
  },
  async video({ media, identity }: ResourceDeps, id: string, viewer: Viewer) {
    const video = await media.requireVideo(id);
    const isOthers = video.visibility === "private" && video.userId !== viewer?.userId;
    if (isOthers && !(await identity.seesAsStaff(viewer))) throw new ServiceError("not_found");
    return { thing: video, channel: { _id: video.streamId, userId: video.userId } };
  },
} satisfies Record<LoadedKind, (deps: ResourceDeps, id: string, viewer: Viewer) => Promise<Loaded<object>>>;

/** The type of the resource that a handler gets for a kind. */
export type ThingOf<Kind extends LoadedKind> = Awaited<ReturnType<(typeof LOADERS)[Kind]>>["thing"];

/** Who passes a rule of x-access: `moderator` includes the owner and staff, `owner` nobody else. */
const PASSES: Record<NonNullable<Access["channel"]>, (role: MemberRole) => boolean> = {
  owner: (role) => role === "owner",
  moderator: isModerating,
};

/** The values by which a path names a resource. */
const NAMES: Partial<Record<LoadedKind, readonly string[]>> = { user: ["user_id", "username"] };

function nameIn(params: Record<string, unknown>, kind: LoadedKind): string {
  const value = (NAMES[kind] ?? [`${kind}_id`]).map((name) => params[name]).find((one) => one !== undefined);
  return String(value);
}

/**
 * Loads the resource that an operation's path names and checks that it is there for the caller (x-visibility) and the caller's
 * access (x-access), both as the document declares them. A handler gets the resource, and the caller's role if the document
 * requires one. What staff change only by being staff is recorded in the audit log, and what only staff may
 * read.
 */
export function createResources(deps: ResourceDeps) {
  const { channelAccess, channelRoles, audit } = deps;

  return {
    /** Returns what runs before the operation's handler; null for nothing. Throws `not_found`, `forbidden`, `blocked`. */
    of(
      operation: Pick<Operation, "operationId" | "x-loads" | "x-visibility" | "x-access">,
      method: string,
    ): ((request: ResourceRequest) => Promise<object>) | null {
      const { operationId, "x-loads": kind, "x-visibility": visibility, "x-access": access } = operation;
      if (kind === undefined) return null;
      return async ({ caller, params, origin }) => {
        const viewer = viewerOf(caller);
        const callerId = viewer?.userId ?? null;
        const loaded: Loaded<object> = await LOADERS[kind](deps, nameIn(params, kind), viewer);
        const { _id: streamId, userId: ownerId } = loaded.channel;
        if (visibility?.inactive !== "allowed")
          await channelAccess.requireVisible(ownerId, viewer, loaded.owner);
        const needsRole = access.channel !== undefined || access.role === true;
        const role =
          needsRole && viewer !== null && streamId !== null
            ? await channelRoles.roleOfCaller({ _id: streamId, userId: ownerId }, viewer)
            : null;
        const isAuthor = callerId !== null && callerId === (loaded.authorId ?? ownerId);
        if (!passes(access, role, isAuthor)) throw new ServiceError("forbidden");
        // A block takes roles back, and what staff do as staff doesn't depend on how the channel's owner thinks of them.
        if (visibility?.blocked === "refused" && callerId !== null && !actsByRole(access, role))
          await channelAccess.requireNotBlockedBy(ownerId, callerId);
        const isOthers = access.channel !== undefined && !(allows(access.or, "author") && isAuthor);
        if (viewer && isOthers && role === "staff") viewer.passedAsStaff = true;
        if (method !== "get" && isOthers)
          auditStaffAct(audit, role, { operationId, caller, origin, named: params });
        return { [kind]: loaded.thing, ...(needsRole ? { role } : {}) };
      };
    },

    /** Returns what runs with the operation's answer before that is sent; null for nothing. */
    answered(
      operation: Pick<Operation, "operationId" | "x-access">,
      method: string,
    ): ((request: ResourceRequest, answer: unknown) => void) | null {
      if (method !== "get") return null;
      const { operationId } = operation;
      const isForStaff = isStaffRead(operation);
      return ({ caller, origin, params: named }, answer) => {
        if (isForStaff || viewerOf(caller)?.passedAsStaff)
          auditStaffRead(audit, { operationId, caller, origin, named }, answer);
      };
    },
  };
}

export type Resources = ReturnType<typeof createResources>;

const actsByRole = ({ channel }: Access, role: MemberRole): boolean =>
  channel !== undefined && (PASSES[channel](role) || role === "staff");

function passes({ channel, or }: Access, role: MemberRole, isAuthor: boolean): boolean {
  if (channel === undefined || PASSES[channel](role)) return true;
  return (allows(or, "staff") && role === "staff") || (allows(or, "author") && isAuthor);
}

const allows = (or: Access["or"], who: "author" | "staff"): boolean => or === who || or === "author_or_staff";
