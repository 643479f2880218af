import { setTimeout as pause } from "node:timers/promises";
import { signedHeaders } from "../../../actors/hooks/signatures.ts";
import { deadlineSignal } from "../../../base/deadline-signal.ts";
import { newId } from "../../../base/ids.ts";

const ATTEMPT_MS = 5_000;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 5_000;
/** Deadline of one report; the service may still be starting. */
const GIVEN_UP_AFTER_MS = 60_000;

type MediaReport = { type: string; data: Record<string, unknown> };

export type HookSender = ReturnType<typeof createHookSender>;

/** Sends signed webhooks to the service, as a media service does, and retries them with the same id until they are accepted. */
export function createHookSender({
  serviceUrl,
  systemKey,
  secret,
  complain,
}: {
  serviceUrl: string;
  systemKey: string;
  secret: string;
  complain: (line: string) => void;
}) {
  const stopped = new AbortController();

  async function attempt(id: string, body: string): Promise<number | null> {
    try {
      const answer = await fetch(`${serviceUrl}/v1/webhooks/media`, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          "x-system-key": systemKey,
          ...signedHeaders(secret, id, body, Date.now()),
        },
        body,
        signal: deadlineSignal(ATTEMPT_MS, stopped.signal),
      });
      await answer.body?.cancel();
      return answer.status;
    } catch {
      // The service is away or too slow: handled like a response that asks for a retry.
      return null;
    }
  }

  return {
    /** Resolves to whether the service accepted the report; giving up is reported by `complain`. */
    async report({ type, data }: MediaReport): Promise<boolean> {
      const id = newId();
      const body = JSON.stringify({ id, type, created_at: new Date().toISOString(), data });
      const deadline = performance.now() + GIVEN_UP_AFTER_MS;
      for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
        const status = await attempt(id, body);
        if (status !== null && status < 300) return true;
        if (stopped.signal.aborted) return false;
        const isFinal = status !== null && status < 500 && status !== 429;
        if (isFinal || performance.now() + pauseMs > deadline) {
          complain(`the service didn't take ${type}: ${status ?? "no answer"}`);
          return false;
        }
        await pause(pauseMs, undefined, { signal: stopped.signal }).catch(() => undefined);
      }
    },
    stop: () => stopped.abort(),
  };
}
