import { envelopeIn, LivecoreError, UnexpectedAnswerError } from "./errors.ts";

export type Answer = { status: number; headers: Headers; body: unknown };

const NO_CONTENT = 204;
const BAD_REQUEST = 400;

export const isSuccess = ({ status }: Answer): boolean => status >= 200 && status < 300;

/** Reads an answer. Throws where its form says that it isn't the service's: no refusal, and no JSON either. */
export async function answerIn(response: Response): Promise<Answer> {
  const { status, headers } = response;
  const answer = { status, headers, body: parsed(await response.text()) };
  if (status >= BAD_REQUEST) return answer;
  const isBodyless = answer.body === undefined && status !== NO_CONTENT;
  if (!isSuccess(answer) || isBodyless || typeof answer.body === "string")
    throw new UnexpectedAnswerError(status);
  return answer;
}

/** Of a refusal; a page of something in between is taken for what its status says. */
export function errorOf({ status, body }: Pick<Answer, "status" | "body">): LivecoreError {
  const code = status === 429 ? "rate_limited" : status < 500 ? "validation_failed" : "unavailable";
  const message = `Something between here and the service answered ${status}.`;
  return new LivecoreError(envelopeIn(body) ?? { code, message }, status);
}

/** Undefined for nothing, the text itself for what isn't JSON. */
export function parsed(text: string): unknown {
  if (text === "") return undefined;
  try {
    return JSON.parse(text);
  } catch (err) {
    if (err instanceof SyntaxError) return text;
    throw err;
  }
}
