import { createHmac, timingSafeEqual } from "node:crypto";
import type { Clock } from "../../../base/clock.ts";
import { DAY_MS } from "../../../base/durations.ts";
import type { SessionDoc, Sessions } from "../../../store/mongo/accounts/sessions.ts";
import { deriveKey, type MasterKey } from "../../keys/sealing.ts";
import { hashToken } from "../tokens/refresh-tokens.ts";

/** How long a device is remembered after its session. */
export const REMEMBERED_MS = 90 * DAY_MS;

const ISSUED_FORM = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.([\w-]{43})$/;

/** A device, and the account that signed in on it. */
export type KnownDevice = { deviceId: string; userId: string };

/**
 * Devices that have signed in (decision 0012). A device is a session and has the session's id. The client gets
 * `<id>.<secret>`, since ids are shown and may be guessed; the secret is an HMAC over the id, so that each refresh can
 * issue it again although only its hash is stored.
 */
export function createDevices({
  masterKey,
  sessions,
  clock,
}: {
  masterKey: MasterKey;
  sessions: Pick<Sessions, "find">;
  clock: Clock;
}) {
  const key = deriveKey(masterKey, "devices");
  const secretOf = (deviceId: string) => createHmac("sha256", key).update(deviceId).digest("base64url");

  /** True within 90 days after the session ended or expired, whichever came first. */
  function isRemembered({ endedAt, expiresAt }: SessionDoc): boolean {
    const end = Math.min(endedAt?.getTime() ?? Number.POSITIVE_INFINITY, expiresAt.getTime());
    return end + REMEMBERED_MS > clock.now();
  }

  return {
    /** The device token that the session's client stores; never log it. */
    givenOut: (deviceId: string): string => `${deviceId}.${secretOf(deviceId)}`,
    /** The stored hash of the device's secret. */
    hashOf: (deviceId: string): string => hashToken(secretOf(deviceId)),

    /** Whether the client presents that device's token. The device may never have signed in. */
    isGivenOut(deviceId: string, presented: string): boolean {
      const [, id, secret = ""] = ISSUED_FORM.exec(presented) ?? [];
      return id === deviceId && timingSafeEqual(Buffer.from(secret), Buffer.from(secretOf(deviceId)));
    },

    /** The device that a client presents; null when it isn't remembered, or its secret is wrong. */
    async find(presented: string | null): Promise<KnownDevice | null> {
      const [, deviceId, secret] = ISSUED_FORM.exec(presented ?? "") ?? [];
      if (deviceId === undefined || secret === undefined) return null;
      const session = await sessions.find(deviceId);
      if (!session?.deviceHash || !isRemembered(session)) return null;
      const matches = timingSafeEqual(Buffer.from(session.deviceHash), Buffer.from(hashToken(secret)));
      return matches ? { deviceId, userId: session.userId } : null;
    },
  };
}

export type Devices = ReturnType<typeof createDevices>;
