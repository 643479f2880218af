import type { AttemptKey } from "../site/attempt-key.ts";
import { client } from "../site/session.ts";

/** Sends a whisper once, however often it is tried, as after a lost answer. */
export const sendWhisper = (attempt: AttemptKey, userId: string, content: string) =>
  attempt.once({ content }, (idempotencyKey) =>
    client.call("sendWhisper", { path: { user_id: userId }, body: { content }, idempotencyKey }),
  );
