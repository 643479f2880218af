import type { operations } from "../generated/openapi.ts";
import type { LivecoreError } from "./errors.ts";

export type OperationId = keyof operations;

/** The content of an upload; a `Blob` also has its media type. */
export type Bytes = Blob | Uint8Array<ArrayBuffer>;

type Json<Response> = Response extends { content: infer Content } ? Content[keyof Content] : never;
type Body<Response> = Response extends { content: unknown } ? Json<Response> : undefined;
type Responses<Op extends OperationId> = operations[Op]["responses"];
type SuccessStatus = 200 | 201 | 202;

/** The body of an operation's 2xx answer; `undefined` where it has none. */
export type Success<Op extends OperationId> = {
  [Status in keyof Responses<Op>]: Status extends SuccessStatus
    ? Body<Responses<Op>[Status]>
    : Status extends 204
      ? undefined
      : never;
}[keyof Responses<Op>];

type Refusal<Op extends OperationId> = {
  [Status in keyof Responses<Op>]: Status extends SuccessStatus | 204 | 302
    ? never
    : Json<Responses<Op>[Status]>;
}[keyof Responses<Op>];

/** The codes with which an operation may be refused. */
export type RefusalCode<Op extends OperationId> =
  Refusal<Op> extends infer Body ? (Body extends { code: infer Code } ? NonNullable<Code> : never) : never;

export type Result<Op extends OperationId> =
  | { ok: true; status: number; data: Success<Op> }
  | { ok: false; status: number; error: LivecoreError<RefusalCode<Op> & LivecoreError["code"]> };

type Parameters<Op extends OperationId> = operations[Op]["parameters"];
type BodyOf<Op extends OperationId> = operations[Op] extends { requestBody: { content: infer Content } }
  ? { body: Sent<Content> }
  : operations[Op] extends { requestBody?: { content: infer Content } }
    ? { body?: Sent<Content> }
    : { body?: never };
type Sent<Content> = Content extends { "image/png": unknown } ? Bytes : Content[keyof Content];
type PathOf<Op extends OperationId> =
  Parameters<Op> extends { path: infer Path } ? { path: Path } : { path?: never };
type QueryOf<Op extends OperationId> =
  Parameters<Op> extends { query: infer Query }
    ? { query: Query }
    : Parameters<Op> extends { query?: infer Query }
      ? { query?: Query }
      : { query?: never };

type CallOptions = {
  /** For operations that take a key. By default the client generates one, so that its own retries take effect once. */
  idempotencyKey?: string;
  headers?: Record<string, string>;
  signal?: AbortSignal;
  /** False: don't retry, return a 429 or 503 as the answer. */
  retry?: boolean;
};

export type Input<Op extends OperationId> = PathOf<Op> & QueryOf<Op> & BodyOf<Op> & CallOptions;

/** The input is optional where the operation requires nothing. */
export type InputArgs<Op extends OperationId> =
  object extends Input<Op> ? [input?: Input<Op>] : [input: Input<Op>];

/** The item type of a paginated operation. */
export type ItemOf<Op extends OperationId> =
  Success<Op> extends { items: (infer Item)[]; page: number } ? Item : never;
