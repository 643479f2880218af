import { readFileSync } from "node:fs";
import type { ErrorCode } from "./errors.ts";
import type { LoadedKind } from "./generated/operation-access.ts";
import type { Peer } from "./peers.ts";
import type { NeededScopes } from "./scopes.ts";

export const METHODS = ["get", "put", "post", "patch", "delete"] as const;
type Method = (typeof METHODS)[number];

/**
 * Who may call an operation. `anonymous`: credentials are ignored; `optional`: they are checked when given; `refresh`: a
 * refresh token in body or cookie; `system`: a system key of the service
 * that `peer` names; `staff`: a session of staff.
 * `step_up` requires a recent proof, of the last minutes, that the caller is still the account's owner (a sign-in is one):
 * always, or for those fields of the body.
 * `channel` requires a role in the channel that the path names, or to which the named resource belongs; `or` also allows
 * someone else.
 * `token_only` accepts personal API tokens and no sessions. `client_header` requires X-Service-Client with cookies even
 * where nothing is changed.
 * `overlay`: an overlay's token is `allowed` besides others, or the `only` credential; all other operations refuse it.
 * An operation `without_database` works while MongoDB is unavailable, by what workers and Redis know of ended sessions.
 */
export type Access = {
  who: "anonymous" | "optional" | "session" | "refresh" | "system" | "staff";
  peer?: Peer;
  step_up?: true | string[];
  token_only?: true;
  overlay?: "allowed" | "only";
  channel?: "owner" | "moderator";
  or?: "author" | "staff" | "author_or_staff";
  query_key?: boolean;
  open_query?: boolean;
  without_database?: boolean;
  client_header?: boolean;
  role?: boolean;
  own?: boolean;
  preload?: false;
  /** Where a channel or user is named that isn't loaded before the handler: the feature looks at their standing itself. */
  names?: "body" | "query" | "path";
  inactive?: "allowed";
  blocked?: "allowed" | "refused";
  /** The body's bytes carry a signature, which is verified before they are read. */
  signed?: "standard" | "stripe";
};

/**
 * Derived for what names a channel or user. `inactive`: whether it is there while that account is banned or deleted; staff always
 * get what is loaded. `blocked`: whether it is there for users whom that account has blocked.
 */
export type Visibility = { inactive: "allowed" | "refused"; blocked: "allowed" | "refused" };

export type JsonSchema = { [keyword: string]: unknown };
export type Parameter = {
  name: string;
  in: "path" | "query" | "header" | "cookie";
  required?: boolean;
  schema: JsonSchema;
  example?: unknown;
};
export type Ref = { $ref: string };
export type MediaTypes = Record<
  string,
  { schema: JsonSchema; example?: unknown; examples?: Record<string, { value: unknown }> }
>;
export type RequestBody = { required?: boolean; content: MediaTypes };
type Response = { description: string; headers?: Record<string, unknown>; content?: MediaTypes };

export type Operation = {
  operationId: string;
  tags: string[];
  summary: string;
  description: string;
  parameters?: (Parameter | Ref)[];
  requestBody?: RequestBody;
  responses: Record<string, Response | Ref>;
  security: Record<string, string[]>[];
  "x-access": Access;
  /** The scopes that a personal API token needs. */
  "x-scopes"?: NeededScopes;
  /** The resource of the path that is loaded before its handler runs. */
  "x-loads"?: LoadedKind;
  "x-visibility"?: Visibility;
  "x-errors": ErrorCode[];
  "x-rate-limit"?: string;
  "x-cache-seconds"?: number;
  /** Whether its handler may wait long for something that has a bound of its own, and so runs without a slot. */
  "x-waits"?: true;
  /** Probes call it every few seconds: its answers are no lines of the log, and it waits for no slot. */
  "x-health-check"?: true;
  /** Of an upload: the maximum size of its body. */
  "x-body-bytes"?: number;
  /** Derived: top-level fields of its answers that callers with a personal API token don't get. */
  "x-withheld"?: string[];
  /** Derived: headers of its responses that announce when it, or a part of it, will be removed. */
  "x-announces"?: Record<string, string>;
};

export type OpenApiDocument = {
  openapi: string;
  info: { title: string; version: string; description: string };
  servers: { url: string }[];
  tags: { name: string }[];
  paths: Record<string, Partial<Record<Method, Operation>>>;
  components: {
    schemas: Record<string, JsonSchema>;
    parameters: Record<string, Parameter>;
    responses: Record<string, Response>;
    headers: Record<string, unknown>;
    securitySchemes: Record<string, unknown>;
  };
};

export type DocumentedOperation = { method: Method; path: string; operation: Operation };

const generated = (): OpenApiDocument =>
  JSON.parse(readFileSync(new URL("./generated/openapi.json", import.meta.url), "utf8"));
let openApi: OpenApiDocument | null = null;

/**
 * The bundled document, read once per process: don't change it. `npm run generate` makes it and `bundle.ts` validates it, so it isn't
 * checked again here.
 */
export function readOpenApi(): OpenApiDocument {
  openApi ??= generated();
  return openApi;
}

/** Every operation with its method and path, in the document's order. */
export function operationsOf(document: OpenApiDocument): DocumentedOperation[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = item[method];
      return operation ? [{ method, path, operation }] : [];
    }),
  );
}

/** The parameters of an operation with references followed. */
export function parametersOf(document: OpenApiDocument, operation: Operation): Parameter[] {
  return (operation.parameters ?? []).map((entry) =>
    "$ref" in entry ? required(document.components.parameters, entry.$ref) : entry,
  );
}

/** What an operation answers, by status. */
export function responsesOf(document: OpenApiDocument, operation: Operation): [status: number, Response][] {
  return Object.entries(operation.responses).map(([status, entry]) => [
    Number(status),
    "$ref" in entry ? required(document.components.responses, entry.$ref) : entry,
  ]);
}

function required<T>(entries: Record<string, T>, ref: string): T {
  const found = entries[ref.slice(ref.lastIndexOf("/") + 1)];
  if (found === undefined) throw new Error(`The document has no ${ref}`);
  return found;
}
