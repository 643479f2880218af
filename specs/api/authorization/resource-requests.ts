import type { CallOptions, OperationId } from "../../support/api.ts";
import type { Channel, Given } from "../../support/given-channels.ts";
import type { World } from "../../support/world.ts";
import type { Row } from "../chat/role-matrix/rows.ts";
import type { Condition, Expectation as Seen } from "../visibility/conditions.ts";
import type { CallerName, Expectation } from "./expectations.ts";
import type { Toolbox } from "./toolbox.ts";

/**
 * What specs of all operations need to know of one resource or context, beyond the document: `specs/api/<context>/requests.ts` or
 * `<resource>-requests.ts` exports it. Nothing in it is needed where the document says enough.
 */
export type ResourceRequests = {
  /** Requests that succeed for allowed callers. */
  requests?(tools: Toolbox): OwnRequests;
  /** What these name is there for the next caller as well: each acts for themselves. */
  forEach?: readonly OperationId[];
  /** These end sessions or change how their account signs in. */
  endsSession?: readonly OperationId[];
  /** Where it depends on whose thing it is who may, beyond x-access. */
  expected?: Expected;
  /** Of an operation of a chat: who may call it, by role in the room, in the order in which they run. */
  rows?: readonly Row[];
  /** Where a text that somebody without a role in the channel may send is shown. */
  shown?: Readonly<Partial<Record<OperationId, Shown>>>;
  /** Where answers about a banned, deleted or blocking owner say more than x-visibility. */
  visibility?: Visibility;
  /** By field of a query or body that takes an id or a name, as "createRaid body.target_user_id": its request, or why it needs no rule. */
  fields?: Readonly<Record<string, NamingField | string>>;
};

type Shown =
  | "in a room"
  | "in the caller's own channel or account"
  | "to its recipient alone"
  /** Codes, ids, and names of devices and providers. */
  | "nowhere";

export type OwnRequests = {
  /** By path parameter: the id or name of something, made anew where operations use it up. */
  values?: Readonly<Record<string, () => string | Promise<string>>>;
  /** Creates what a request acts on, and returns the request. */
  prepared?: Readonly<Partial<Record<OperationId, () => CallOptions | Promise<CallOptions>>>>;
  /** The same, where it depends on who calls. */
  ofCaller?: Readonly<
    Partial<Record<OperationId, (caller: CallerName) => CallOptions | Promise<CallOptions>>>
  >;
};

export type Expected = Readonly<Partial<Record<OperationId, Partial<Record<CallerName, Expectation>>>>>;

type Visibility = Readonly<Partial<Record<OperationId, Partial<Record<Condition, Seen>>>>>;

/** What a field may name of a channel or its owner; of `channel`, or of nobody when that is null. */
export type NamedChannel = { channel: Channel | null; userId: string; username: string; streamId: string };

/** What may be true of the account that a field names. */
export type Standing = "banned" | "deleted" | "blocked";
export type Outcome = "as for an unknown id" | "as for an active account" | "blocked" | "raid_not_accepted";

type NamingField = {
  /** The request by which it names somebody, and everything else in it `other`, a live channel. */
  request(
    named: NamedChannel,
    other: Channel,
    where: { world: World; given: Given },
  ): CallOptions | Promise<CallOptions>;
  /** The caller and what it names need a broadcast, to get that far. */
  isLive?: true;
  /** Where answers say more than x-visibility. */
  but?: Readonly<Partial<Record<Standing, Outcome>>>;
};
