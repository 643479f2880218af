import { type ChannelRoles, isModerating, type MemberRole } from "../../actors/channels/channel-roles.ts";
import type { Caller } from "../../actors/identity/caller.ts";
import { ServiceError } from "../../specs/contract/errors.ts";
import type { Access, Operation } from "../../specs/contract/openapi-document.ts";
import type { PredictionDoc } from "../../store/mongo/predictions.ts";
import type { RaidDoc } from "../../store/mongo/raids.ts";
import type { StreamDoc } from "../../store/mongo/streams.ts";

/** What a path names, and the channel that it belongs to. */
type Named = { resource: object; channel: Pick<StreamDoc, "_id" | "userId"> };

type Load = (id: string) => Promise<Named>;

type Resource = NonNullable<Operation["x-loads"]>;

export type Asked = { caller: Caller; params: Record<string, unknown> };

export type ResourceDeps = {
  /** Each throws `not_found`. */
  channels: { require(id: string): Promise<StreamDoc> };
  predictions: { require(id: string): Promise<PredictionDoc> };
  raids: { require(id: string): Promise<RaidDoc> };
  channelRoles: ChannelRoles;
};

/** Who passes a rule of x-access: a moderator's takes in the owner and staff, an owner's takes in nobody else. */
const PASSES: Record<NonNullable<Access["channel"]>, (role: MemberRole) => boolean> = {
  owner: (role) => role === "owner",
  moderator: isModerating,
};

/**
 * Loads what an operation's path names and checks who may, both as the document declares it (x-loads, x-access). A handler
 * gets what was loaded, and the caller's role where the document speaks of one.
 */
export function createResources({ channels, predictions, raids, channelRoles }: ResourceDeps) {
  const loaders: Record<Resource, { parameter: string; load: Load }> = {
    stream: {
      parameter: "stream_id",
      async load(id) {
        const stream = await channels.require(id);
        return { resource: { stream }, channel: stream };
      },
    },
    prediction: {
      parameter: "prediction_id",
      async load(id) {
        const prediction = await predictions.require(id);
        const { streamId, channelUserId } = prediction;
        return { resource: { prediction }, channel: { _id: streamId, userId: channelUserId } };
      },
    },
    raid: {
      parameter: "raid_id",
      async load(id) {
        const raid = await raids.require(id);
        return { resource: { raid }, channel: { _id: raid.sourceStreamId, userId: raid.sourceUserId } };
      },
    },
  };

  return {
    /** What to do before the operation's handler; null for nothing. Throws `not_found`, `forbidden`. */
    of(operation: Pick<Operation, "x-loads" | "x-access">): ((request: Asked) => Promise<object>) | null {
      const { "x-loads": loads, "x-access": access } = operation;
      if (loads === undefined) return null;
      const { parameter, load } = loaders[loads];
      return async ({ caller, params }) => {
        const named = await load(String(params[parameter]));
        if (access.channel === undefined && access.role !== true) return named.resource;
        const role = caller.kind === "user" ? await channelRoles.roleOf(named.channel, caller.userId) : null;
        if (!passes(access, role)) throw new ServiceError("forbidden");
        return { ...named.resource, role };
      };
    },
  };
}

export type Resources = ReturnType<typeof createResources>;

function passes({ channel, or }: Access, role: MemberRole): boolean {
  if (channel === undefined || PASSES[channel](role)) return true;
  return or === "staff" && role === "staff";
}
