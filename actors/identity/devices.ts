import { createHmac, timingSafeEqual } from "node:crypto";
import type { Clock } from "../../store/clock.ts";
import type { SessionDoc, Sessions } from "../../store/mongo/sessions.ts";
import { hashToken } from "./refresh-tokens.ts";
import { deriveKey, type MasterKey } from "./sealing.ts";
import { DAY_MS } from "./usernames.ts";

/** How long a device is remembered after its session. */
export const REMEMBERED_MS = 90 * DAY_MS;

const GIVEN_OUT = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.([\w-]{43})$/;

/** A device, and the account that was signed in on it. */
export type KnownDevice = { deviceId: string; userId: string };

/**
 * Devices that were signed in (decision 0012). A device is a session: its id is the session's. What is given out is
 * `<id>.<secret>`, since ids are shown and guessed at; the secret is an HMAC over the id, so that each refresh can
 * give it out again though nothing but its hash is stored.
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

  /** The end of the session, by whichever way it came first. */
  function isRemembered({ endedAt, expiresAt }: SessionDoc): boolean {
    const end = Math.min(endedAt?.getTime() ?? Number.POSITIVE_INFINITY, expiresAt.getTime());
    return end + REMEMBERED_MS > clock.now();
  }

  return {
    /** What the client of that session keeps; never to be logged. */
    givenOut: (deviceId: string): string => `${deviceId}.${secretOf(deviceId)}`,
    /** What is stored of it. */
    hashOf: (deviceId: string): string => hashToken(secretOf(deviceId)),

    /** Whether a client presents that device, one that was never signed in included. */
    isGivenOut(deviceId: string, presented: string): boolean {
      const [, id, secret = ""] = GIVEN_OUT.exec(presented) ?? [];
      return id === deviceId && timingSafeEqual(Buffer.from(secret), Buffer.from(secretOf(deviceId)));
    },

    /** The device that a client presents; null when it isn't one that we remember, or its secret is wrong. */
    async find(presented: string | null): Promise<KnownDevice | null> {
      const [, deviceId, secret] = GIVEN_OUT.exec(presented ?? "") ?? [];
      if (deviceId === undefined || secret === undefined) return null;
      const session = await sessions.find(deviceId);
      if (!session?.deviceHash || !isRemembered(session)) return null;
      const matches = timingSafeEqual(Buffer.from(session.deviceHash), Buffer.from(hashToken(secret)));
      return matches ? { deviceId, userId: session.userId } : null;
    },
  };
}

export type Devices = ReturnType<typeof createDevices>;
