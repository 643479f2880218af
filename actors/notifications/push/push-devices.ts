/**
 * Devices registered for push notifications. A registration belongs to the session that made it and is void once that session
 * has ended, in whichever way: a phone whose user signed out must not show the account's notifications. The session is checked
 * whenever devices are listed or sent to, so code that ends sessions doesn't need to remove registrations.
 */
import { createHash } from "node:crypto";
import type { Clock } from "../../../base/clock.ts";
import { DAY_MS } from "../../../base/durations.ts";
import { newId } from "../../../base/ids.ts";
import { invalid, ServiceError } from "../../../contract/errors.ts";
import type { Device, DeviceUpdate, NewDevice } from "../../../contract/wire.ts";
import type { Mongo } from "../../../store/mongo/driver/connect.ts";
import { type PushDeviceDoc, pushDevicesIn } from "../../../store/mongo/notifications/push-devices.ts";
import type { SignedIn, UserSessions } from "../../accounts/public.ts";
import type { Sealing } from "../../keys/sealing.ts";
import { isSubscription, subscriptionOf } from "./web-push.ts";

/** Per account; when there is one more, the least recently active one is removed. */
export const MAX_PUSH_DEVICES = 20;
/** A session lasts at most 90 days, so a registration isn't needed for longer. */
const KEPT_MS = 91 * DAY_MS;

/** The sealing context of a push token: it can be unsealed only in the registration of that very token. */
export const pushTokenContext = (tokenHash: string) => `push-token:${tokenHash}`;

export type PushDevices = ReturnType<typeof createPushDevices>;

export function createPushDevices({
  mongo,
  sessions,
  sealing,
  clock,
}: {
  mongo: Mongo;
  sessions: Pick<UserSessions, "list">;
  sealing: Sealing;
  clock: Clock;
}) {
  const devices = pushDevicesIn(mongo.db);

  const view = (doc: PushDeviceDoc, userAgent: string | null): Device => ({
    id: doc.deviceId,
    device_token: sealing.unseal(doc.tokenSealed, pushTokenContext(doc._id)),
    device_type: doc.deviceType,
    notifications_enabled: doc.notificationsEnabled,
    user_agent: userAgent,
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

  /** The devices whose session is still valid, and those sessions' browsers or apps. Removes the others, and those above MAX_PUSH_DEVICES. */
  async function currentWithAgents(
    userId: string,
  ): Promise<{ doc: PushDeviceDoc; userAgent: string | null }[]> {
    const [all, active] = await Promise.all([
      devices.ofUser(userId, 2 * MAX_PUSH_DEVICES),
      sessions.list(userId),
    ]);
    const agents = new Map(active.map(({ _id, userAgent }) => [_id, userAgent]));
    const kept = all.filter(({ sessionId }) => agents.has(sessionId)).slice(0, MAX_PUSH_DEVICES);
    const gone = all.filter((doc) => !kept.includes(doc)).map(({ _id }) => _id);
    if (gone.length > 0) await devices.removeMany(userId, gone);
    return kept.map((doc) => ({ doc, userAgent: agents.get(doc.sessionId) ?? null }));
  }

  const current = async (userId: string): Promise<PushDeviceDoc[]> =>
    (await currentWithAgents(userId)).map(({ doc }) => doc);

  const agentOf = async ({ userId, deviceId }: PushDeviceDoc): Promise<string | null> =>
    (await currentWithAgents(userId)).find(({ doc }) => doc.deviceId === deviceId)?.userAgent ?? null;

  async function requireOwn(id: string, userId: string): Promise<PushDeviceDoc> {
    const found = (await current(userId)).find(({ deviceId }) => deviceId === id);
    if (!found) throw new ServiceError("not_found");
    return found;
  }

  return {
    list: async (userId: string): Promise<Device[]> =>
      (await currentWithAgents(userId)).map(({ doc, userAgent }) => view(doc, userAgent)),

    /** Idempotent per token; a token that another account registered moves to this one. Throws `validation_failed`. */
    async register({ userId, sessionId }: SignedIn, given: NewDevice): Promise<Device> {
      requireToken(given.device_token);
      const doc = await devices.register({
        deviceId: newId(),
        userId,
        sessionId,
        ...tokenOf(given.device_type, given.device_token),
        deviceType: given.device_type,
        notificationsEnabled: given.notifications_enabled,
        ...times(),
      });
      return view(doc, await agentOf(doc));
    },

    /** A new token binds the device to the caller's session. Throws `not_found`, `validation_failed`. */
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
      return view(doc, await agentOf(doc));
    },

    /** Type and token of one of a user's devices; null when it is gone or its notifications are disabled. */
    async reach(
      userId: string,
      tokenHash: string,
    ): Promise<{ deviceType: PushDeviceDoc["deviceType"]; token: string } | null> {
      const found = (await current(userId)).find(({ _id }) => _id === tokenHash);
      if (!found?.notificationsEnabled) return null;
      const { deviceType, tokenSealed } = found;
      return { deviceType, token: sealing.unseal(tokenSealed, pushTokenContext(tokenHash)) };
    },

    /** Removes a device that its push service no longer knows, unless it was registered again after `since`. */
    forget: (userId: string, tokenHash: string, since: Date): Promise<void> =>
      devices.removeInactive(userId, tokenHash, since),

    /** Throws `not_found`. */
    async remove(userId: string, id: string): Promise<void> {
      await devices.removeMany(userId, [(await requireOwn(id, userId))._id]);
    },
  };
}

/** Checks subscriptions to web push; other tokens have no fixed format. Throws `validation_failed`. */
function requireToken(token: string): void {
  if (!isSubscription(token) || subscriptionOf(token)) return;
  const message = "must be a subscription to web push whose endpoint is public, as JSON";
  throw invalid({ path: "/body/device_token", rule: "subscription", message });
}
