import type { ErrorCode } from "../../specs/contract/errors.ts";

export type SetCookie = {
  name: string;
  value: string;
  /** 0 deletes the cookie. */
  maxAgeSeconds: number;
  httpOnly: boolean;
  sameSite: "Lax" | "Strict";
  /** Null: for this host alone. */
  domain: string | null;
  path: string;
};

const mark = Symbol("reply");

/** A success answer with more to it than its body. */
export type Reply<Body> = {
  readonly [mark]: true;
  /** Null: the operation's first success status. */
  status: number | null;
  body: Body | undefined;
  /** Content type of a body that is text; null: it is sent as JSON. */
  textType: string | null;
  headers: Record<string, string>;
  cookies: SetCookie[];
  /** For the log and the metrics alone, where a browser is sent on with the refusal; null for none. */
  refused: ErrorCode | null;
  /** Instead of a body: JSON text in parts, sent as fast as it is taken. */
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

/** A body that is too long to be in memory at once; its form is the caller's promise. */
export const download = (parts: AsyncIterable<string>, headers: Record<string, string>): Reply<never> => ({
  ...reply<never>({ headers }),
  download: parts,
});

export function isReply(answer: unknown): answer is Reply<unknown> {
  return typeof answer === "object" && answer !== null && mark in answer;
}
