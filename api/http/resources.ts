import { type Caller, type Viewer, viewerOf } from "../../actors/accounts/tokens/caller.ts";
import type { ChannelAccess } from "../../actors/channels/channel-access.ts";
import { type ChannelRoles, isModerating, type MemberRole } from "../../actors/channels/channel-roles.ts";
import { RESOURCES } from "../../actors/generated/resources.ts";
import type { StaffLog } from "../../actors/safety/staff-log.ts";
import type { Audit, Origin } from "../../base/audit.ts";
import { ServiceError } from "../../contract/errors.ts";
import type { LoadedKind } from "../../contract/generated/operation-access.ts";
import type { Access, Operation } from "../../contract/openapi-document.ts";
import type { UserWithoutSecrets } from "../../store/mongo/accounts/users.ts";
import type { StreamDoc } from "../../store/mongo/channels/streams.ts";
import { auditStaffAct, auditStaffRead, isStaffRead } from "./staff-acts.ts";

/** The resource that a path names, whose it is, and its author: without `authorId` the channel's owner. A user has no roles. */
type Loaded<Thing> = {
  thing: Thing;
  channel: Pick<StreamDoc, "userId"> & { _id: string | null };
  owner?: UserWithoutSecrets;
  authorId?: string;
};

type ResourceRequest = { caller: Caller; params: Record<string, unknown>; origin: Origin };

/** What loads a kind: `…Resource` beside the calls of its lifecycle or feature. What is private isn't there for others. */
type Load = (deps: never, id: string, viewer: Viewer) => Promise<Loaded<object>>;

const LOADERS = RESOURCES satisfies Record<LoadedKind, Load>;

type LoaderDeps = (typeof LOADERS)[LoadedKind] extends (
  deps: infer Deps,
  id: string,
  viewer: Viewer,
) => unknown
  ? Deps
  : never;

export type ResourceDeps = LoaderDeps & {
  channelAccess: ChannelAccess;
  channelRoles: ChannelRoles;
  audit: Audit;
  staffLog: Pick<StaffLog, "add">;
};

/** The type of the resource that a handler gets for a kind. */
export type ThingOf<Kind extends LoadedKind> = Awaited<ReturnType<(typeof LOADERS)[Kind]>>["thing"];

/** Who passes a rule of x-access: `moderator` includes the owner and staff, `owner` nobody else. */
const PASSES: Record<NonNullable<Access["channel"]>, (role: MemberRole) => boolean> = {
  owner: (role) => role === "owner",
  moderator: isModerating,
};

/** The values by which a path names a resource: `unban_request_id` for the kind `unbanRequest`. */
const NAMES: Partial<Record<LoadedKind, readonly string[]>> = { user: ["user_id", "username"] };

function nameIn(params: Record<string, unknown>, kind: LoadedKind): string {
  const names = NAMES[kind] ?? [`${kind.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}_id`];
  const value = names.map((name) => params[name]).find((one) => one !== undefined);
  return String(value);
}

/**
 * Loads the resource that an operation's path names and checks that it is there for the caller (x-visibility) and the caller's
 * access (x-access), both as the document declares them. A handler gets the resource, and the caller's role if the document
 * requires one. What staff change only by being staff is recorded in the audit log, and what only staff may
 * read.
 */
export function createResources(deps: ResourceDeps) {
  const { channelAccess, channelRoles } = deps;

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
        if (viewer) viewer.shownOwnerId = ownerId;
        if (viewer && isOthers && role === "staff") viewer.passedAsStaff = true;
        if (method !== "get" && isOthers)
          await auditStaffAct(deps, role, { operationId, caller, origin, named: params });
        return { [kind]: loaded.thing, ...(needsRole ? { role } : {}) };
      };
    },

    /** Returns what runs with the operation's answer before that is sent; null for nothing. */
    answered(
      operation: Pick<Operation, "operationId" | "x-access">,
      method: string,
    ): ((request: ResourceRequest, answer: unknown) => Promise<void>) | null {
      if (method !== "get") return null;
      const { operationId } = operation;
      const isForStaff = isStaffRead(operation);
      return async ({ caller, origin, params: named }, answer) => {
        if (isForStaff || viewerOf(caller)?.passedAsStaff)
          await auditStaffRead(deps, { operationId, caller, origin, named }, answer);
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
