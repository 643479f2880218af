import { OPERATIONS } from "../generated/operations.ts";
import { pathSegment } from "./path-segment.ts";
import { randomKey } from "./random-key.ts";
import type { Bytes, OperationId } from "./types.ts";

type Operation = (typeof OPERATIONS)[OperationId];

/** The input of any operation, after type checking. */
export type AnyInput = {
  path?: Record<string, string>;
  query?: Record<string, string | number | boolean | undefined>;
  body?: unknown;
  idempotencyKey?: string;
  headers?: Record<string, string>;
  signal?: AbortSignal;
  retry?: boolean;
};

export type Request = {
  url: string;
  method: string;
  headers: Record<string, string>;
  body: string | Bytes | undefined;
  /** The request is idempotent, so it may be retried. */
  isRepeatable: boolean;
};

const REPEATABLE: readonly string[] = ["GET", "PUT", "DELETE"];

/** Builds the request of a call as the OpenAPI document describes it. Its retries carry the same idempotency key. */
export function requestOf(baseUrl: string, operationId: OperationId, input: AnyInput): Request {
  const operation = OPERATIONS[operationId];
  const { method, body: mediaType, takesKey } = operation;
  const key = takesKey ? (input.idempotencyKey ?? randomKey()) : undefined;
  const body = input.body === undefined ? undefined : written(input.body, mediaType);
  return {
    url: urlOf(baseUrl, operation, input),
    method,
    body,
    headers: {
      ...(body === undefined ? {} : { "Content-Type": typeOf(body) ?? mediaType ?? "application/json" }),
      ...(key === undefined ? {} : { "Idempotency-Key": key }),
      ...input.headers,
    },
    isRepeatable: REPEATABLE.includes(method) || key !== undefined || hasNonce(input.body),
  };
}

function urlOf(baseUrl: string, { path }: Operation, input: AnyInput): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_match, name: string) => {
    const value = input.path?.[name];
    if (value === undefined) throw new TypeError(`${path} needs the path parameter ${name}`);
    return pathSegment(name, value);
  });
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(input.query ?? {})) {
    if (value !== undefined) query.set(name, String(value));
  }
  return `${baseUrl}${filled}${query.size > 0 ? `?${query}` : ""}`;
}

/** The media type that a Blob has itself. */
const typeOf = (body: string | Bytes): string | null =>
  body instanceof Blob && body.type !== "" ? body.type : null;

function written(body: unknown, mediaType: string | null): string | Bytes {
  if (body instanceof Blob || isByteArray(body)) return body;
  if (mediaType !== "application/x-www-form-urlencoded") return JSON.stringify(body);
  const fields = Object.entries(Object(body)).map(([name, value]): [string, string] => [name, String(value)]);
  return new URLSearchParams(fields).toString();
}

/** Byte arrays on a SharedArrayBuffer can't be sent. */
const isByteArray = (body: unknown): body is Uint8Array<ArrayBuffer> =>
  body instanceof Uint8Array && body.buffer instanceof ArrayBuffer;

/** A message with a nonce is stored once, however often it is sent. */
const hasNonce = (body: unknown): boolean => typeof body === "object" && body !== null && "nonce" in body;
