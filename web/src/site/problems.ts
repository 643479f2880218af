import { LivecoreError, UnexpectedAnswerError } from "@livecore/client";
import { formatDuration } from "../formats/durations.ts";
import { TEXTS } from "../texts/texts.ts";

/** What went wrong in the browser itself; the message is for the person who tried it. */
export class Problem extends Error {}

/** A request got no answer, such as without a network. */
class UnansweredError extends Error {}

/** As the browser's own, which fails with the TypeError that faults of a program have too. Aborts stay what they are. */
export const fetchOrSay: typeof fetch = async (input, init) => {
  try {
    return await fetch(input, init);
  } catch (err) {
    if (!(err instanceof TypeError)) throw err;
    throw new UnansweredError("no answer", { cause: err });
  }
};

/** The network's fault, or that of something on the way: no answer, a late one, or that of a captive portal. */
const isUnreachable = (err: unknown): boolean =>
  err instanceof UnansweredError ||
  err instanceof UnexpectedAnswerError ||
  (err instanceof DOMException && (err.name === "TimeoutError" || err.name === "AbortError"));

/** Why something didn't work, and what to do next, for the person who tried it. */
export function problemOf(err: unknown): string {
  const { problems } = TEXTS;
  if (err instanceof Problem) return err.message;
  if (isUnreachable(err)) return problems.unreachable;
  if (!(err instanceof LivecoreError)) return problems.broken;
  const { code, message, retryAfterMs } = err;
  if (code === "unavailable") return problems.busy;
  if (code === "invalid_token") return problems.signedOut;
  const fault = faultsIn(err)[0];
  if (code === "validation_failed" && fault) return problems.invalid(fault.message);
  return retryAfterMs === null ? message : problems.waitFor(message, formatDuration(retryAfterMs / 1_000));
}

type Fault = { path: string; rule: string; message: string };

/** What is wrong with which part of a request; empty for other refusals. */
export function faultsIn(err: unknown): Fault[] {
  const errors = err instanceof LivecoreError ? err.details.errors : null;
  return Array.isArray(errors) ? errors.filter(isFault) : [];
}

const isFault = (one: unknown): one is Fault =>
  typeof one === "object" && one !== null && "path" in one && "rule" in one && "message" in one;

/** What is wrong with a field of the body, as a sentence; null if nothing is. */
export function faultOf(err: unknown, field: string): string | null {
  const fault = faultsIn(err).find(({ path }) => path === `/body/${field}`);
  if (!fault) return null;
  const { field: sentence, names } = TEXTS.problems;
  return sentence(nameIn(names, field) ?? names.other, fault.message);
}

const nameIn = (names: Record<string, string>, field: string): string | undefined =>
  Object.hasOwn(names, field) ? names[field] : undefined;
