import type { IncomingHttpHeaders } from "node:http";
import type { Caller, SignedIn } from "../../actors/accounts/tokens/caller.ts";
import type { MemberRole } from "../../actors/channels/channel-roles.ts";
import type { Origin } from "../../base/audit.ts";
import type { operations } from "../../contract/generated/openapi.ts";
import type { LoadedKind, OperationAccess } from "../../contract/generated/operation-access.ts";
import type { OperationBucket } from "../../contract/operation-limits.ts";
import type { CursorPage, FoundPage, Range } from "./pagination.ts";
import type { Reply } from "./reply.ts";
import type { ThingOf } from "./resources.ts";
import type { SentCookies } from "./sent-cookies.ts";

export type OperationId = keyof operations & keyof OperationAccess;

type Anonymous = Extract<Caller, { kind: "anonymous" }>;

/** The kinds of caller that authentication guarantees, from the operation's x-access. */
type CallerOf<Who> = Who extends "session" | "staff"
  ? SignedIn
  : Who extends "optional"
    ? SignedIn | Anonymous
    : Who extends "system"
      ? Extract<Caller, { kind: "system" }>
      : Anonymous;

type Nothing = Record<string, never>;
type ParamsOf<Op> = Op extends { parameters: { path: infer Path } } ? Path : Nothing;
type QueryOf<Op> = Op extends { parameters: { query?: infer Query } }
  ? [NonNullable<Query>] extends [never]
    ? Nothing
    : NonNullable<Query>
  : Nothing;
type ContentOf<T> = T extends { content: infer Content } ? Content[keyof Content] : undefined;
type BodyOf<Op> = Op extends { requestBody: infer Body }
  ? ContentOf<Body>
  : Op extends { requestBody?: infer Body }
    ? ContentOf<Body> | undefined
    : undefined;
type SuccessOf<Responses> = {
  [Status in keyof Responses]: Status extends 200 | 201 | 202 | 204 | 302
    ? ContentOf<Responses[Status]>
    : never;
}[keyof Responses];

/** The loaded resource that the path names, and the caller's role in its channel, where that matters. */
type LoadedOf<Access extends { loads: LoadedKind | null; role: boolean }> = {
  [Kind in NonNullable<Access["loads"]>]: ThingOf<Kind>;
} & (Access["role"] extends true ? { role: MemberRole } : unknown);

/** What a handler gets: everything was validated against the document before. */
export type OperationRequest<Id extends OperationId> = RequestParts &
  LoadedOf<OperationAccess[Id]> & {
    caller: CallerOf<OperationAccess[Id]["who"]>;
    params: ParamsOf<operations[Id]>;
    query: QueryOf<operations[Id]>;
    /** For a form, the first of each repeated field. */
    body: BodyOf<operations[Id]>;
  };

/** The parts that all operations have in common. */
export type RequestParts = {
  /** The raw body, for hooks that parse their own format; empty without a body. */
  rawBody: Buffer;
  cookies: SentCookies;
  /** Header names are in lower case. */
  headers: IncomingHttpHeaders;
  /** The client's address; forwarding headers count only from trusted proxies. */
  ip: string;
  /** From the Idempotency-Key header, where the operation takes one. */
  idempotencyKey: string | null;
  requestId: string;
  /**
   * When the request came, by performance.now(), as if its body had come at once: since then it has waited for slots, and for
   * whatever else comes before its handler.
   */
  arrivedAt: number;
  /** For `x-waits`: the rest is done without a slot (request-slots.ts). */
  freeSlot(): void;
  /** Aborted once the answer was sent, or the client has disconnected. */
  signal: AbortSignal;
  /** The request's origin, for audit records. */
  origin: Origin;
  /**
   * Takes one point from another bucket than the operation's own, if only some of its requests count there. Throws
   * `rate_limited`.
   */
  count(also: OperationBucket): Promise<void>;
};

type Success<Id extends OperationId> = SuccessOf<operations[Id]["responses"]>;

// biome-ignore lint/suspicious/noConfusingVoidType: a handler without a body may return another call's Promise<void>.
type Answer<Body> = Body | Reply<Body> | (undefined extends Body ? void : never);

/** Returns the success body, sent with the operation's first success status; `reply` overrides that. */
export type Handler<Id extends OperationId> = (
  request: OperationRequest<Id>,
) => Promise<Answer<Success<Id>>> | Answer<Success<Id>>;

/** Operations that answer with the pagination wrapper. */
export type PageOperationId = {
  [Id in OperationId]: Success<Id> extends { per_page: number; items: unknown[] } ? Id : never;
}[OperationId];

type ItemOf<Id extends PageOperationId> = Success<Id> extends { items: (infer Item)[] } ? Item : never;

/** A list that takes the cursor `before` gives one with each page. */
type PageOf<Id extends PageOperationId> =
  QueryOf<operations[Id]> extends { before?: string } ? CursorPage<ItemOf<Id>> : FoundPage<ItemOf<Id>>;

/** Finds the items of a range, in their public form. */
export type PageHandler<Id extends PageOperationId> = (
  request: OperationRequest<Id>,
  range: Range,
) => Promise<PageOf<Id>> | PageOf<Id>;
