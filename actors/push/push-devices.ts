/**
 * Devices that want push notifications. A registration belongs to the session that made it: once that has ended, by
 * whichever way, it counts no more, since a phone that somebody signed out on mustn't show what comes in for the account.
 * So the session is looked at when devices are listed or sent to, and nothing has to be undone where sessions end.
 */
import { createHash } from "node:crypto";
import { ServiceError } from "../../specs/contract/errors.ts";
import type { Device, DeviceUpdate, NewDevice } from "../../specs/contract/wire.ts";
import type { Clock } from "../../store/clock.ts";
import { newId } from "../../store/ids.ts";
import type { Mongo } from "../../store/mongo/connect.ts";
import { type PushDeviceDoc, pushDevicesIn } from "../../store/mongo/push-devices.ts";
import type { SignedIn } from "../identity/caller.ts";
import type { Identity } from "../identity/identity.ts";
import type { Sealing } from "../identity/sealing.ts";
import { isSubscription, subscriptionOf } from "./web-push.ts";

/** An account's; the one that was active longest ago leaves when one more comes. */
export const MAX_PUSH_DEVICES = 20;
/** A session lasts 90 days at most. */
const KEPT_MS = 91 * 86_400_000;

/** Where a push token may be opened: in the registration of that very token. */
export const pushTokenContext = (tokenHash: string) => `push-token:${tokenHash}`;

export type PushDevices = ReturnType<typeof createPushDevices>;

export function createPushDevices({
  mongo,
  identity,
  sealing,
  clock,
}: {
  mongo: Mongo;
  identity: Pick<Identity, "sessions">;
  sealing: Sealing;
  clock: Clock;
}) {
  const devices = pushDevicesIn(mongo.db);

  const view = (doc: PushDeviceDoc): Device => ({
    id: doc.deviceId,
    device_token: sealing.unseal(doc.tokenSealed, pushTokenContext(doc._id)),
    device_type: doc.deviceType,
    notifications_enabled: doc.notificationsEnabled,
    last_active: doc.lastActive.toISOString(),
  });

  function tokenOf(type: PushDeviceDoc["deviceType"], token: string) {
    const _id = createHash("sha256").update(`${type}:${token}`).digest("hex");
    return { _id, tokenSealed: sealing.seal(token, pushTokenContext(_id)) };
  }

  const times = () => ({
    lastActive: new Date(clock.now()),
    expiresAt: new Date(clock.now() + KEPT_MS),
  });

  /** Those whose session lasts; the others go, and what is past the most that an account may have. */
  async function current(userId: string): Promise<PushDeviceDoc[]> {
    const [all, sessions] = await Promise.all([
      devices.ofUser(userId, 2 * MAX_PUSH_DEVICES),
      identity.sessions(userId),
    ]);
    const lasting = new Set(sessions.map(({ _id }) => _id));
    const kept = all.filter(({ sessionId }) => lasting.has(sessionId)).slice(0, MAX_PUSH_DEVICES);
    const gone = all.filter((doc) => !kept.includes(doc)).map(({ _id }) => _id);
    if (gone.length > 0) await devices.removeMany(userId, gone);
    return kept;
  }

  async function requireOwn(id: string, userId: string): Promise<PushDeviceDoc> {
    const found = (await current(userId)).find(({ deviceId }) => deviceId === id);
    if (!found) throw new ServiceError("not_found");
    return found;
  }

  return {
    list: async (userId: string): Promise<Device[]> => (await current(userId)).map(view),

    /** The same token once more is the same registration; one that another account has moves here. Throws `validation_failed`. */
    async register({ userId, sessionId }: SignedIn, given: NewDevice): Promise<Device> {
      requireToken(given.device_token);
      const doc = await devices.register({
        ...{ deviceId: newId(), userId, sessionId },
        ...tokenOf(given.device_type, given.device_token),
        deviceType: given.device_type,
        notificationsEnabled: given.notifications_enabled,
        ...times(),
      });
      await current(userId);
      return view(doc);
    },

    /** With a new token it belongs to the session that named it. Throws `not_found`, `validation_failed`. */
    async change({ userId, sessionId }: SignedIn, id: string, change: DeviceUpdate): Promise<Device> {
      const { device_token: token, notifications_enabled: notificationsEnabled } = change;
      if (token !== undefined) requireToken(token);
      const known = await requireOwn(id, userId);
      const doc: PushDeviceDoc = {
        ...known,
        ...(token === undefined ? {} : { ...tokenOf(known.deviceType, token), sessionId }),
        ...(notificationsEnabled === undefined ? {} : { notificationsEnabled }),
        ...times(),
      };
      if (!(await devices.replace(known._id, doc))) throw new ServiceError("not_found");
      return view(doc);
    },

    /** Where one of a user's devices is pushed to; null when nothing is any more. */
    async reach(
      userId: string,
      tokenHash: string,
    ): Promise<{ deviceType: PushDeviceDoc["deviceType"]; token: string } | null> {
      const found = (await current(userId)).find(({ _id }) => _id === tokenHash);
      if (!found?.notificationsEnabled) return null;
      const { deviceType, tokenSealed } = found;
      return { deviceType, token: sealing.unseal(tokenSealed, pushTokenContext(tokenHash)) };
    },

    /** Its service knows it no more; one that was registered again since then stays. */
    forget: (userId: string, tokenHash: string, since: Date): Promise<void> =>
      devices.removeInactive(userId, tokenHash, since),

    /** Throws `not_found`. */
    async remove(userId: string, id: string): Promise<void> {
      await devices.removeMany(userId, [(await requireOwn(id, userId))._id]);
    },
  };
}

/** Other tokens have whatever form their service gives them. Throws `validation_failed`. */
function requireToken(token: string): void {
  if (!isSubscription(token) || subscriptionOf(token)) return;
  const message = "must be a subscription to web push whose endpoint is public, as JSON";
  throw new ServiceError("validation_failed", {
    errors: [{ path: "/body/device_token", rule: "subscription", message }],
  });
}
