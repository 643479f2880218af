import type { Request } from "express";
import type { SignedIn } from "../../actors/accounts/tokens/caller.ts";
import type { InvalidPart } from "../../contract/errors.ts";
import {
  type DocumentedOperation,
  type OpenApiDocument,
  type Operation,
  parametersOf,
  responsesOf,
} from "../../contract/openapi-document.ts";
import { isOperationBucket, type OperationBucket } from "../../contract/operation-limits.ts";
import { type AnonymousReads, type CachedRead, createAnonymousReads } from "./anonymous-reads.ts";
import type { Authenticate } from "./authenticate.ts";
import type { BoundOperation } from "./bind.ts";
import type { ConcurrencyLimit } from "./concurrency-limit.ts";
import type { RestRefusal } from "./error-response.ts";
import type { Limits } from "./limits.ts";
import type { RequestSlots } from "./request-slots.ts";
import { isPlainHttp } from "./secure-cookies.ts";
import type { Signatures } from "./signatures.ts";
import type { Validation } from "./validate.ts";

export type ServeDeps = {
  document: OpenApiDocument;
  validation: Validation;
  authenticate: Authenticate;
  /** Throws step_up_required. */
  requireFresh(caller: SignedIn): Promise<void>;
  limits: Limits;
  slots: RequestSlots;
  signatures: Signatures;
  /** Null when no module of routes has bound it. */
  boundTo(operationId: string): BoundOperation | null;
  plainCookiesHere: boolean;
  /** COOKIE_DOMAIN. */
  cookieDomain: string | null;
  checkResponses: boolean;
  bodyDeadlineMs: number;
  /** Monotonic, ms. */
  now: () => number;
  onCachedRead: (read: CachedRead) => void;
  onRefused: (refused: RestRefusal) => void;
};

/** An operation, with all that its requests need of the document: looked up once. */
export type Served = {
  readonly deps: ServeDeps;
  readonly operation: Operation;
  /** As HTTP writes it. */
  readonly method: string;
  /** Null: health checks wait for no slot. */
  readonly limit: ConcurrencyLimit | null;
  /** Whether callers' rate limits count its requests. */
  readonly isLimited: boolean;
  readonly ownBucket: OperationBucket | null;
  readonly headerNames: readonly string[];
  /** Response headers that the document promises for each answer. */
  readonly announced: readonly (readonly [name: string, value: string])[];
  readonly firstSuccess: number;
  readonly isDownload: boolean;
  /** The kept answers of `x-cache-seconds`; null without. */
  readonly anonymous: AnonymousReads | null;
  /** Only set in specs. */
  readonly checkAnswer: ((status: number, body: unknown) => InvalidPart[]) | null;
  isSecureFor(req: Request): boolean;
};

export function servedOperation({ operation, method }: DocumentedOperation, deps: ServeDeps): Served {
  const { operationId, "x-cache-seconds": cacheSeconds, "x-rate-limit": bucket = null } = operation;
  const isLimited = bucket !== "none";
  const parameters = parametersOf(deps.document, operation);
  const responses = responsesOf(deps.document, operation);
  const { now, onCachedRead: onRead } = deps;
  return {
    deps,
    operation,
    method: method.toUpperCase(),
    limit: deps.slots.of(operation),
    isLimited,
    ownBucket: bucket !== null && isLimited ? requireBucket(operationId, bucket) : null,
    headerNames: parameters.filter((parameter) => parameter.in === "header").map(({ name }) => name),
    announced: Object.entries(operation["x-announces"] ?? {}),
    firstSuccess: Math.min(...responses.map(([status]) => status).filter((status) => status < 300)),
    isDownload: responses.some(([, { headers }]) => headers?.["Content-Disposition"] !== undefined),
    anonymous:
      cacheSeconds === undefined
        ? null
        : createAnonymousReads({ operationId, seconds: cacheSeconds, parameters, now, onRead }),
    checkAnswer: deps.checkResponses ? deps.validation.responseCheck(operation) : null,
    isSecureFor: ({ headers }) => !deps.plainCookiesHere || !isPlainHttp(headers),
  };
}

function requireBucket(operationId: string, bucket: string) {
  if (isOperationBucket(bucket)) return bucket;
  throw new Error(`${operationId}: there is no bucket ${bucket}`);
}
