import { ServiceError } from "../../specs/contract/errors.ts";
import { notificationPreferencesIn } from "../../store/mongo/notification-preferences.ts";
import type { FeatureDeps } from "../features/deps.ts";
import { createSealing } from "../identity/sealing.ts";

/** In mails alone, never in the database: what is sealed for it opens as long as its key is configured. */
const CONTEXT = "unsubscribe-mails";

export type Unsubscribing = ReturnType<typeof createUnsubscribing>;

/** Links of mails that end mails, without signing in and as often as one likes. */
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

    /** Switches mails of notifications off. Throws `invalid_token`. */
    async unsubscribe(token: string): Promise<void> {
      await preferences.switchMailOff(userOf(token), new Date(clock.now()));
    },
  };
}
