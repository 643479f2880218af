import { ServiceError } from "../../contract/errors.ts";
import { notificationPreferencesIn } from "../../store/mongo/notifications/notification-preferences.ts";
import type { FeatureDeps } from "../features/deps.ts";
import { createSealing } from "../keys/sealing.ts";

/** Sealed tokens are only in mails, never in the database; they can be unsealed as long as the key is configured. */
const CONTEXT = "unsubscribe-mails";

export type Unsubscribing = ReturnType<typeof createUnsubscribing>;

/** Unsubscribe links in mails. They work without signing in and are idempotent. */
export function createUnsubscribing({
  mongo,
  clock,
  masterKey,
}: Pick<FeatureDeps, "mongo" | "clock" | "masterKey">) {
  const preferences = notificationPreferencesIn(mongo.db);
  const sealing = createSealing(masterKey);

  function userOf(token: string): string {
    try {
      return sealing.unseal(token, CONTEXT);
    } catch (cause) {
      throw new ServiceError("invalid_token", undefined, { cause });
    }
  }

  return {
    tokenFor: (userId: string): string => sealing.seal(userId, CONTEXT),

    /** Switches notification mails off. Throws `invalid_token`. */
    async unsubscribe(token: string): Promise<void> {
      await preferences.switchMailOff(userOf(token), new Date(clock.now()));
    },
  };
}
