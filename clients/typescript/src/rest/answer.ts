import { envelopeIn, LivecoreError, UnexpectedAnswerError } from "./errors.ts";

export type Answer = { status: number; headers: Headers; body: unknown };

const BAD_REQUEST = 400;

export const isSuccess = ({ status }: Answer): boolean => status >= 200 && status < 300;

/** The successes of an operation: the media type of one that isn't JSON, and the statuses without a body. */
type Successes = { text: string | null; empty: readonly number[] };

/**
 * Parses a response. Throws an UnexpectedAnswerError when its form shows that it isn't the service's: neither a refusal nor a
 * success that the operation has.
 */
export async function answerIn(response: Response, { text, empty }: Successes): Promise<Answer> {
  const { status, headers } = response;
  const content = await response.text();
  const isText = response.ok && text !== null && headers.get("Content-Type")?.startsWith(text) === true;
  if (isText) return { status, headers, body: content };
  const answer = { status, headers, body: parsed(content) };
  if (status >= BAD_REQUEST) return answer;
  const isBodyless = answer.body === undefined && !empty.includes(status);
  if (!isSuccess(answer) || isBodyless || typeof answer.body === "string")
    throw new UnexpectedAnswerError(status);
  return answer;
}

/** The error of a refusal. A response without our envelope, such as a proxy's page, gets a code by its status. */
export function errorOf({ status, body }: Pick<Answer, "status" | "body">): LivecoreError {
  const code = status === 429 ? "rate_limited" : status < 500 ? "validation_failed" : "unavailable";
  const message = `Something between here and the service answered ${status}.`;
  return new LivecoreError(envelopeIn(body) ?? { code, message }, status);
}

/** Undefined for an empty text, the text itself when it isn't JSON. */
export function parsed(text: string): unknown {
  if (text === "") return undefined;
  try {
    return JSON.parse(text);
  } catch (err) {
    if (err instanceof SyntaxError) return text;
    throw err;
  }
}
