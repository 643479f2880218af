import type { ErrorCode, ServiceError } from "../../contract/errors.ts";
import type { SetCookie } from "./set-cookie.ts";

const mark = Symbol("reply");

/** A success answer with more than a body. */
export type Reply<Body> = {
  readonly [mark]: true;
  /** Null: the operation's first success status. */
  status: number | null;
  body: Body | undefined;
  /** Content type of a text body; null: the body is sent as JSON. */
  textType: string | null;
  headers: Record<string, string>;
  cookies: SetCookie[];
  /** Only for the log and the metrics, when a browser is redirected with the refusal; null for none. */
  refused: ErrorCode | null;
  /** Instead of a body: JSON text in chunks, sent with back-pressure. */
  download: AsyncIterable<string> | null;
};

export function reply<Body = undefined>(parts: {
  status?: number;
  body?: Body;
  headers?: Record<string, string>;
  cookies?: SetCookie[];
  refused?: ErrorCode;
}): Reply<Body> {
  return {
    [mark]: true,
    status: parts.status ?? null,
    body: parts.body,
    textType: null,
    headers: parts.headers ?? {},
    cookies: parts.cookies ?? [],
    refused: parts.refused ?? null,
    download: null,
  };
}

/** A body that isn't JSON. */
export const text = (textType: string, body: string): Reply<string> => ({ ...reply({ body }), textType });

/** A body that is too long to be in memory at once; it isn't validated, so its format is up to the caller. */
export const download = (parts: AsyncIterable<string>, headers: Record<string, string>): Reply<never> => ({
  ...reply<never>({ headers }),
  download: parts,
});

export function isReply(answer: unknown): answer is Reply<unknown> {
  return typeof answer === "object" && answer !== null && mark in answer;
}

/** Thrown by a route: a refusal that sets cookies as well. */
export class RefusalWithCookies extends Error {
  readonly refusal: ServiceError;
  readonly cookies: readonly SetCookie[];

  constructor(refusal: ServiceError, cookies: readonly SetCookie[]) {
    super(refusal.message, { cause: refusal });
    this.refusal = refusal;
    this.cookies = cookies;
  }
}
