import { signedHeaders } from "../../../actors/hooks/signatures.ts";
import { FIRST_PICTURE_MS } from "../../../actors/live/live-stream/machine.ts";
import { newId } from "../../../base/ids.ts";
import type { DocumentedOperation } from "../../../contract/openapi-document.ts";
import { usersCollection } from "../../../store/mongo/accounts/users.ts";
import { notificationsCollection } from "../../../store/mongo/notifications/notifications.ts";
import { holdMessage } from "../../realtime/rooms/hold-message.ts";
import type { CallOptions, OperationId } from "../../support/api.ts";
import { eventually } from "../../support/eventually.ts";
import type { Person } from "../../support/given-channels.ts";
import type { IdentityProvider } from "../../support/identity-provider.ts";
import type { World } from "../../support/world.ts";
import { chatSetRequests } from "./chat-set-requests.ts";
import { discoveryRequests } from "./discovery-requests.ts";
import { emailRequests } from "./email-requests.ts";
import type { CallerName } from "./expectations.ts";
import { once } from "./once.ts";
import { PASSWORD, type People } from "./people.ts";
import { pollRequests } from "./poll-requests.ts";
import { providerRequests } from "./provider-requests.ts";
import { safetyRequests } from "./safety-requests.ts";
import { twoFactorRequests } from "./two-factor-requests.ts";

/** Creates what a request acts on, and returns the request. */
type Prepare = () => Promise<CallOptions> | CallOptions;
type PrepareFor = (caller: CallerName) => Promise<CallOptions> | CallOptions;

/** A wrong password: allowed callers get as far as its check, and the account stays for the others. */
const NOT_THEIRS = "not the password";
const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
const picture = (): CallOptions => ({ body: PNG, headers: { "content-type": "image/png" } });

const PLANNED = { title: "Planned", starts_at: "2026-03-15T19:00:00Z" };
const FORM = { "content-type": "application/x-www-form-urlencoded" };

/** Operations that end sessions or change how their account signs in. */
export const ENDS_SESSION: ReadonlySet<OperationId> = new Set([
  "logout",
  "endSessions",
  "changePassword",
  "setUpTwoFactor",
  "verifyTwoFactor",
  "disableTwoFactor",
  "renewRecoveryCodes",
]);

/** What they name is there for the next caller as well: each acts for themselves. */
const FOR_EACH: ReadonlySet<OperationId> = new Set([
  "placeBet",
  "redeemReward",
  "voteInPoll",
  "joinRaid",
  "leaveRaid",
  "likeClip",
  "unlikeClip",
  "viewClip",
  "viewVideo",
  "createClip",
  "hostChannel",
  "sendWhisper",
]);

/**
 * The request by which an operation succeeds for allowed callers: defined here, or made from the document with values of its path
 * parameters and the example of its body. Throws when the document isn't enough. The callers of an operation share a request, unless
 * it depends on who calls, until it has succeeded.
 */
export function requestsIn(world: World, people: People, provider: IdentityProvider) {
  const { prepared, ofCaller, values } = ownRequests(world, people, provider);
  let unused: { by: string; request: CallOptions } | null = null;

  async function newRequest({ path, operation }: DocumentedOperation): Promise<CallOptions> {
    const operationId = operation.operationId as OperationId;
    const prepare = prepared[operationId];
    if (prepare) return prepare();
    const params: Record<string, string> = {};
    for (const [, name = ""] of path.matchAll(/\{(\w+)\}/g)) {
      const value = values[name];
      if (!value) throw new Error(`requests.ts needs a value of {${name}}, or a request of ${operationId}`);
      params[name] = await value();
    }
    const { required = false, content = {} } = operation.requestBody ?? {};
    if (!required) return { params };
    const [{ example } = {}] = Object.values(content);
    if (example === undefined) throw new Error(`requests.ts needs a request of ${operationId}`);
    return { params, body: example };
  }

  return {
    async of(called: DocumentedOperation, caller: CallerName): Promise<CallOptions> {
      const by = called.operation.operationId;
      const prepare = ofCaller[by as OperationId];
      if (prepare) return prepare(caller);
      if (unused?.by !== by) unused = { by, request: await newRequest(called) };
      return unused.request;
    },
    /** Its request may have used up what it names: the next caller gets another one. */
    succeeded({ method, operation }: DocumentedOperation): void {
      if (method !== "get" && !FOR_EACH.has(operation.operationId as OperationId)) unused = null;
    },
  };
}

/** What the document doesn't contain: ownership, and what must be created first. */
function ownRequests(world: World, people: People, provider: IdentityProvider) {
  const { at, owner, user, target } = people;
  let terms = 0;
  let rewards = 0;
  // Far above the ids that the job assigns.
  let notifications = 1_000_000;

  /** A channel has one open prediction, so the previous one is closed first, no matter who opened it. */
  /** The id of a message in the room. */
  async function newMessage(): Promise<string> {
    // So that the limit of one message a second doesn't apply.
    world.clock.move(2_000);
    const body = { content: `A message at ${world.clock.now()}` };
    return (await user.api.ok("sendChatMessage", { params: at, body })).uuid;
  }

  async function closePrediction(): Promise<void> {
    const { items } = await owner.api.ok("listPredictions", { params: at, query: { per_page: 1 } });
    for (const { id, status } of items) {
      if (status === "active" || status === "locked") {
        await owner.api.ok("cancelPrediction", { params: { prediction_id: id } });
      }
    }
  }

  async function newPrediction() {
    await closePrediction();
    const prediction = await owner.api.ok("createPrediction", { params: at, body: newPredictionBody });
    const [outcome] = prediction.outcomes;
    if (!outcome) throw new Error("A prediction has no outcomes");
    return { params: { prediction_id: prediction.id }, outcome_id: outcome.id };
  }

  async function hook(call: string, publisher = owner): Promise<CallOptions> {
    const { stream_key } = await publisher.api.ok("getMyStream");
    return { headers: FORM, body: `app=ingest&addr=127.0.0.1&clientid=1&call=${call}&name=${stream_key}` };
  }

  async function goLive(publisher: Person): Promise<void> {
    if ((await world.core.channels.requireOf(publisher.id)).isLive) return;
    const { headers, ...published } = await hook("publish", publisher);
    await world.api.ok("ingestPublish", {
      ...published,
      headers: { ...headers, "x-system-key": world.ingestKey },
    });
    world.clock.move(FIRST_PICTURE_MS);
    await eventually(async () => (await publisher.api.ok("getMyStream")).is_live, {
      what: "a channel goes live",
    });
  }

  /** Another user's live channel. */
  async function liveTarget(): Promise<{ target_user_id: string }> {
    await goLive(target);
    return { target_user_id: target.id };
  }

  /** The user's active subscription to the owner's channel, at tier 2. */
  async function subscription(): Promise<string> {
    const people = { subscriberId: user.id, channelUserId: owner.id };
    const id = (await world.core.subscriptions.current(user.id, owner.id))?._id ?? newId();
    const paid = { id: "paid", happenedAt: world.clock.now(), isGift: false, giftedBy: null };
    await world.core.subscriptions.paid(id, people, { ...paid, tier: 2, priceCents: 999, platformId: null });
    await world.core.subscriptions.resume(id, { by: user.id }).catch(() => "it is active");
    return id;
  }

  /** A signed report of a type that is ignored. */
  function unknownReport(peer: "media" | "billing"): CallOptions {
    const [secret] = world.webhookSecrets[peer];
    const id = newId();
    const event = { id, type: "nothing.known", created_at: new Date().toISOString(), data: {} };
    const body = JSON.stringify(event);
    return { body, headers: signedHeaders(secret, id, body, world.clock.now()) };
  }

  /** A paid tip to the user. */
  async function tip(): Promise<string> {
    const body = { to_user_id: user.id, amount_cents: 100, currency: "USD" };
    await owner.api.ok("createTipCheckout", { body });
    const [made] = (await user.api.ok("listMyTips")).items;
    if (!made) throw new Error("it was begun");
    const paid = {
      amount_cents: 100,
      currency: "USD",
      paidAt: new Date(world.clock.now()),
      platformId: null,
    };
    await world.core.tips.paid(made.id, paid);
    return made.id;
  }

  async function newReward(): Promise<string> {
    const body = { title: `Reward ${++rewards}`, cost: 1 };
    return (await owner.api.ok("createReward", { body })).id;
  }
  const redeemable = once(newReward);

  async function newRedemption(): Promise<string> {
    const params = { reward_id: await redeemable() };
    return (await user.api.ok("redeemReward", { params, body: {} })).id;
  }

  /** Not by REST, whose limit is ten an hour. */
  async function newToken() {
    const origin = { ip: "203.0.113.7", userAgent: null, requestId: "spec" };
    const [session] = await world.core.identity.sessions(user.id);
    if (!session) throw new Error("only who is signed in makes tokens");
    const by = { userId: user.id, sessionId: session._id };
    return world.core.identity.apiTokens.create({ name: "spec" }, by, origin);
  }

  /** Watches long enough for a bonus. */
  async function watch(userId: string): Promise<void> {
    const watched = { userId, channelUserId: owner.id, streamId: at.stream_id };
    for (const window of [1, 2, 3]) await world.core.points.earnPresence({ ...watched, window });
  }
  /** Ends a raid, so that the next one can start; one that has started ends by time. */
  async function cancelRaidOf(account: Person | null): Promise<void> {
    const stream = account && (await world.core.streams.findByUser(account.id));
    const raid = stream && (await world.core.raids.openFrom(stream._id));
    if (!stream) return;
    // Removes ended raids, since a channel may not raid again so soon.
    const over = { sourceStreamId: stream._id, isOpen: false };
    await world.core.mongo.db.collection("raids").deleteMany(over);
    if (!raid) return;
    if (raid.status === "pending") await world.core.raids.cancel(raid._id, raid.sourceUserId);
    else world.clock.move(60_000);
    await eventually(async () => (await world.core.raids.openFrom(stream._id)) === null, {
      what: "the raid is over",
    });
  }

  /** Not by the operation, whose limit is ten in ten minutes. */
  async function newRaid(): Promise<string> {
    await cancelRaidOf(owner);
    await Promise.all([goLive(owner), goLive(target)]);
    const [source, aim] = await Promise.all([
      world.core.channels.requireOf(owner.id),
      world.core.channels.requireOf(target.id),
    ]);
    const raid = await world.core.raids.begin({ source, target: aim, message: null, by: owner.id });
    return raid._id;
  }

  /** The user's clip of the owner's channel; not by REST, whose limit is thirty an hour. */
  async function clip(): Promise<string> {
    const body = await clipBody();
    const { stream_id: streamId, title, start_time: startTime, end_time: endTime } = body;
    const input = { streamId, title, startTime, endTime, description: "", visibility: "public" } as const;
    const { _id } = await world.core.clips.create(user.id, input);
    const data = { clip_id: _id, video_url: "https://cdn.example.com/clip.mp4" };
    const created_at = new Date(world.clock.now()).toISOString();
    await world.core.media.report(_id, { id: _id, type: "clip.ready", created_at, data });
    return _id;
  }

  /** A clip's body, of a broadcast that has lasted long enough. */
  async function clipBody() {
    const clips = { ...at, title: "Who may do this?", start_time: 0, end_time: 5 };
    if (await world.core.broadcasts.runningIn(at.stream_id, new Date(0), new Date(world.clock.now())))
      return clips;
    await goLive(owner);
    world.clock.move(10_000);
    return clips;
  }

  /** A video of the owner. */
  async function video(): Promise<string> {
    const data = { ...at, media_recording_id: newId(), duration_seconds: 60 };
    const created_at = new Date(world.clock.now()).toISOString();
    const id = newId();
    await world.core.media.report(id, { id, type: "recording.ready", created_at, data });
    const [made] = (await world.core.media.videosOf(owner.id, owner.id, { skip: 0, limit: 1 })).items;
    if (!made) throw new Error("a recording makes a video");
    return made._id;
  }

  const safety = safetyRequests(world, people);
  const polls = pollRequests(world, people);
  const discovery = discoveryRequests(world, people);

  /** Values by path parameter. */
  const values: Record<string, () => string | Promise<string>> = {
    ...safety.values,
    ...polls.values,
    ...discovery.values,
    stream_id: () => at.stream_id,
    user_id: () => target.id,
    username: () => owner.username,
    provider: () => "app",
    session_id: () => people.anotherSession(user),
    device_id: async () => (await user.api.ok("registerDevice", { body: newDeviceBody })).id,
    notification_id: async () => {
      const _id = ++notifications;
      const event = { kind: "follower" as const, data: { followerId: target.id } };
      const line = {
        userId: user.id,
        type: "follower" as const,
        told: event,
        isRead: false,
        createdAt: new Date(),
      };
      await notificationsCollection.in(world.core.mongo.db).insertOne({ _id, ...line });
      return String(_id);
    },
    token_id: async () => (await newToken()).doc._id,
    term_id: async () => {
      const body = { term: `term ${++terms}` };
      return String((await owner.api.ok("addBlockedTerm", { params: at, body })).id);
    },
    subscription_id: subscription,
    tip_id: tip,
    raid_id: newRaid,
    clip_id: clip,
    video_id: video,
    held_id: async () => {
      const stream = await world.core.channels.requireOf(owner.id);
      const author = await world.core.identity.requireUser(user.id);
      return holdMessage(world.core.redis, { stream, author, now: world.clock.now() }, "Is this all right?");
    },
    prediction_id: async () => (await newPrediction()).params.prediction_id,
    reward_id: newReward,
    entry_id: async () => (await owner.api.ok("createScheduleEntry", { body: PLANNED })).id,
    redemption_id: newRedemption,
  };

  const prepared: Partial<Record<OperationId, Prepare>> = {
    async sendWhisper() {
      const unverified = { emailVerifiedAt: null };
      await usersCollection
        .in(world.core.mongo.db)
        .updateMany(unverified, { $set: { emailVerifiedAt: new Date() } });
      return { params: { user_id: target.id }, body: { content: "hello" } };
    },
    ...safety.prepared,
    ...polls.prepared,
    ...discovery.prepared,
    ...emailRequests(world, people).prepared,
    ...chatSetRequests(world, people),

    login: () => ({ body: { login: target.username, password: PASSWORD } }),

    deleteMe: () => ({ body: { password: NOT_THEIRS } }),
    setAvatar: picture,
    setBanner: picture,

    deleteChatMessage: async () => ({ params: { ...at, uuid: await newMessage() } }),
    pinChatMessage: async () => ({ params: at, body: { uuid: await newMessage() } }),
    updateChatSettings: () => ({ params: at, body: { unique_chat: false } }),

    createPrediction: async () => {
      await closePrediction();
      return { params: at, body: newPredictionBody };
    },
    resolvePrediction: async () => {
      const { params, outcome_id } = await newPrediction();
      return { params, body: { outcome_id } };
    },
    placeBet: async () => {
      const { params, outcome_id } = await newPrediction();
      return { params, body: { outcome_id, amount: 1 } };
    },
    getMyBet: async () => {
      const { params, outcome_id } = await newPrediction();
      for (const better of [
        people.user,
        people.otherUser,
        people.moderator,
        people.otherChannelsModerator,
        people.staff,
      ]) {
        await better.api.ok("placeBet", { params, body: { outcome_id, amount: 1 } });
      }
      return { params };
    },

    createSubscriptionCheckout: () => ({ body: { channel_user_id: target.id, tier: 1 } }),
    createTipCheckout: () => ({ body: { to_user_id: target.id, amount_cents: 100, currency: "USD" } }),
    resumeSubscription: async () => {
      const subscription_id = await subscription();
      await world.core.subscriptions.cancel(subscription_id, { by: user.id });
      return { params: { subscription_id } };
    },
    billingHook: () => unknownReport("billing"),
    createChatToken: () => ({ body: { site: "fans.example", ...at } }),
    mediaHook: () => unknownReport("media"),
    stripeHook: () => ({ body: {} }),
    redeemReward: async () => {
      // By REST nobody earns points in their own channel.
      await watch(owner.id);
      return { params: { reward_id: await redeemable() }, body: {} };
    },
    decideRedemptions: async () => ({ body: { ids: [await newRedemption()], action: "fulfil" } }),
    createClip: async () => ({ body: await clipBody() }),
    getCurrentRaid: async () => {
      await newRaid();
      return { query: { source_user_id: owner.id } };
    },
    startRaid: async () => {
      const params = { raid_id: await newRaid() };
      world.clock.move(10_000);
      return { params };
    },
    runChatCommand: () => ({ params: at, body: { command: `/timeout ${target.username} 5` } }),
    setRaidSettings: () => ({ body: { accept_from: "everyone" } }),

    hostChannel: async () => ({ body: await liveTarget() }),
    getHosting: async () => {
      const params = { username: owner.username };
      const { status } = await owner.api.call("getHosting", { params });
      if (status === 404) await owner.api.ok("hostChannel", { body: await liveTarget() });
      return { params };
    },
    setAutoHost: () => ({ body: { user_ids: [target.id] } }),

    getMinVersion: () => ({ query: { platform: "ios" } }),
    forwardOauthPost: () => ({ params: { provider: "app" }, headers: FORM, body: "state=any&code=any" }),
    ingestPublish: () => hook("publish"),
    ingestPublishDone: () => hook("publish_done"),
    ingestUpdate: async () => {
      await goLive(owner);
      return hook("update_publish");
    },
  };

  const ofCaller: Partial<Record<OperationId, PrepareFor>> = {
    ...safety.ofCaller,
    ...twoFactorRequests(world, people),
    ...providerRequests(provider, people),

    register: (caller) => ({
      body: { username: `new_${caller}`.slice(0, 25), email: `${caller}@example.org`, password: PASSWORD },
    }),
    heartbeat: (caller) => ({ body: { ...at, device_id: caller } }),
    sendChatMessage: (caller) => ({ params: at, body: { content: `Hello from ${caller}` } }),
    createReward: (caller) => ({ body: { title: `Of ${caller}`, cost: 1 } }),
    claimPoints: async (caller) => {
      if (caller !== "anonymous" && caller !== "systemKey") await watch(people[caller].id);
      return { params: { user_id: owner.id } };
    },
    createRaid: async (caller) => {
      // Each caller raids from the own channel, which has to be live; other callers are refused before that.
      const account = people.accountOf(caller);
      await cancelRaidOf(account);
      if (account) await goLive(account);
      return { body: await liveTarget() };
    },
  };
  return { prepared, ofCaller, values };
}

const newDeviceBody = { device_token: "a-phone-of-the-specs", device_type: "ios" } as const;

const newPredictionBody = {
  title: "Who may do this?",
  outcomes: [{ title: "Everybody" }, { title: "Nobody" }],
  duration_seconds: 600,
};
