import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { signedHeaders } from "../../../actors/hooks/signatures.ts";
import { operations } from "./operations.mjs";

/**
 * Who and what a fuzzing run acts with. Each caller has facts: values that really exist, by the name that they have
 * in requests. Most operations are called by everybody in turn; those that use something up, or that a change by
 * another operation would shut out, have callers of their own.
 */
const EVERYBODY = 6;
const OF_ONE_OPERATION = 1;

/** By operation: creates its own callers, each from a user with a channel, an open prediction and an open poll. */
const OWN_CALLERS = {
  register: ({ username }) => ({
    facts: { username: `new_${username}`, email: `new_${username}@example.com` },
  }),
  login: ({ username, password }) => ({ facts: { login: username, password } }),
  refresh: ({ refreshToken }) => ({
    facts: { refresh_token: refreshToken },
    headers: { "X-Auth-Mode": "bearer" },
  }),
  updateDevice: async (user, { device }) => ({ facts: { device_id: await device(user) } }),
  removeDevice: async (user, { device }) => ({ facts: { device_id: await device(user) } }),
  readNotification: ownNotification,
  deleteNotification: ownNotification,
  logout: () => ({ facts: {} }),
  changePassword: ({ password }) => ({ facts: { current_password: password } }),
  deleteMe: ({ password }) => ({ facts: { password } }),
  exportMe: () => ({ facts: {} }),
  endSessions: () => ({ facts: {} }),
  endSession: async (user, { signIn }) => ({
    facts: { session_id: await signIn(user) },
  }),
  deleteApiToken: async (user, { apiToken }) => ({ facts: { token_id: await apiToken(user) } }),
  deleteToken: async (user, { apiToken }) => ({ facts: { token_id: await apiToken(user) } }),
  ingestPublish: ({ streamKey }) => ({ facts: { name: streamKey } }),
  endBroadcast: ownChannel,
  addModerator: ownChannel,
  addVip: ownChannel,
  timeoutUser: ownChannel,
  approveHeldMessage: ownHeld,
  denyHeldMessage: ownHeld,
  createMemberNote: ownChannel,
  deleteMemberNote: async (user, { note }) => ({
    facts: { ...channelFacts(user), note_id: await note(user) },
  }),
  createUnbanRequest: bannedElsewhere,
  approveUnbanRequest: ownUnbanRequest,
  denyUnbanRequest: ownUnbanRequest,
  getUnbanRequestHistory: ownUnbanRequest,
  deleteChannelEmote: async (user, { emote }) => ({
    facts: { ...channelFacts(user), emote_id: await emote(user) },
  }),
  deleteChannelBadge: ownBadge,
  grantChannelBadge: ownBadge,
  revokeChannelBadge: async (user, context) => {
    const caller = await ownBadge(user, context);
    await context.grant(user, caller.facts.badge_id);
    return caller;
  },
  updateOverlay: ownOverlay,
  renewOverlay: ownOverlay,
  testOverlay: ownOverlay,
  deleteOverlay: ownOverlay,
  getOverlay: asOverlay,
  listOverlayAlerts: asOverlay,
  endChatToken: bot,
  listBotMessages: bot,
  sendBotMessage: bot,
  updateBlockedTerm: ownTerm,
  deleteBlockedTerm: ownTerm,
  deleteChatMessage: async (user, { say }) => ({
    facts: { ...channelFacts(user), uuid: await say(user) },
  }),
  createPoll: async (user, context) => {
    // A channel has one open at a time.
    await context.endPoll(user);
    return ownChannel(user, context);
  },
  endPoll: ownChannel,
  voteInPoll: otherChannel,
  updateFollow: otherChannel,
  createPrediction: async (user, context) => {
    // A channel has one open at a time.
    await context.cancel(user);
    return ownChannel(user, context);
  },
  lockPrediction: ownChannel,
  cancelPrediction: ownChannel,
  resolvePrediction: ownChannel,
  placeBet: otherChannel,
  redeemReward: otherChannel,
  updateScheduleEntry: ownEntry,
  deleteScheduleEntry: ownEntry,
  updateReward: ownReward,
  deleteReward: ownReward,
  fulfilRedemption: redeemed,
  refundRedemption: redeemed,
  getRedemptionHistory: redeemed,
  getCheckout: async (user, { checkout }) => ({ facts: { checkout_id: await checkout(user) } }),
  cancelSubscription: subscriber,
  resumeSubscription: async (user, context) => {
    const caller = await subscriber(user, context);
    await context.unsubscribe(user, caller.facts.subscription_id);
    return caller;
  },
  changeSubscriptionTier: subscriber,
  getSubscriptionHistory: subscriber,
  refundTip: async (user, { tip }) => ({ facts: { tip_id: await tip(user) } }),
  getMyBet: async (user, context) => {
    const caller = await otherChannel(user, context);
    await context.bet(user);
    return caller;
  },
};

const isOfStaff = ({ path }) => path.startsWith("/v1/admin/");

const channelFacts = ({ username, streamId, rewardId, raidId = streamId, ...made }) => ({
  // No provider is configured here: requests about it get 404.
  provider: "example",
  // Nobody has an authenticator: requests about passkeys get 404.
  passkey_id: "019ced90-7a10-7b3c-a5d2-8e9f0a1b2c3d",
  category_id: "just-chatting",
  username,
  // A search term with results.
  q: username,
  stream_id: streamId,
  prediction_id: made.predictionId,
  poll_id: made.pollId,
  option_id: made.optionId,
  raid_id: raidId,
  outcome_id: made.outcomeId,
  reward_id: rewardId,
});

function ownChannel(user, { other }) {
  // Acting on oneself is refused, so "user_id" is another user.
  const money = { channel_user_id: other.userId, to_user_id: other.userId, currency: "USD" };
  return { facts: { ...channelFacts(user), ...money, user_id: other.userId } };
}

/** A separate reward that no other operation deletes. */
async function ownReward(user, context) {
  return { facts: { ...ownChannel(user, context).facts, reward_id: await context.offer(user) } };
}

async function ownEntry(user, { plan }) {
  return { facts: { entry_id: await plan(user) } };
}

async function ownTerm(user, context) {
  return { facts: { ...channelFacts(user), term_id: await context.term(user) } };
}

async function ownNotification(user, { notification }) {
  return { facts: { notification_id: await notification(user) } };
}

/** A badge of the own channel, and another user to wear it. */
async function ownBadge(user, context) {
  return { facts: { ...ownChannel(user, context).facts, badge_id: await context.badge(user) } };
}

/** Another user's message, held in the own channel. */
async function ownHeld(user, context) {
  return { facts: { ...channelFacts(user), held_id: await context.held(user) } };
}

/** Another user's unban request in the own channel. */
async function ownUnbanRequest(user, context) {
  return { facts: { ...channelFacts(user), unban_request_id: await context.unbanRequest(user) } };
}

/** Banned in another channel. */
async function bannedElsewhere(user, { other, banIn }) {
  await banIn(other, user);
  return { facts: channelFacts(other) };
}

async function ownOverlay(user, { overlay }) {
  return { facts: { ...channelFacts(user), overlay_id: (await overlay(user)).id } };
}

/** With an overlay's own token. */
async function asOverlay(user, { overlay }) {
  return { token: (await overlay(user)).token, facts: channelFacts(user) };
}

/** With a personal token of its user. */
async function bot(user, { botToken }) {
  return { token: await botToken(user), facts: { channel: user.username } };
}

/** Another user's redemption on the caller's own channel. */
async function redeemed(user, context) {
  const redemptionId = await context.redeem(user);
  return { facts: { ...ownChannel(user, context).facts, redemption_id: redemptionId } };
}

/** Subscribed to another channel, at tier 2. */
async function subscriber(user, { subscribe }) {
  return { facts: { subscription_id: await subscribe(user) } };
}

/** Following gives the points to bet with. */
async function otherChannel(user, { other, follow }) {
  await follow(user);
  return { facts: { ...channelFacts(other), user_id: other.userId } };
}

/** `paths` are the tested operations; others need no callers. */
export async function fuzzWorld({ baseUrl, systemKeys, webhookSecret, makeStaff }, signal, paths = "") {
  const service = { baseUrl, signal };
  const everybody = await several(EVERYBODY, (number) => newUser(service, `fuzz_${number}`));
  const other = everybody[0];
  const context = {
    other,
    follow: ({ token }) => call({ ...service, token }, "PUT", `/v1/follows/${other.userId}`),
    bet: ({ token }) =>
      call({ ...service, token }, "POST", `/v1/predictions/${other.predictionId}/bets`, {
        outcome_id: other.outcomeId,
        amount: 1,
      }),
    plan: async ({ token }) => {
      const entry = { title: "Every week", starts_at: "2026-03-15T19:00:00Z", is_recurring: true };
      return (await call({ ...service, token }, "POST", "/v1/schedule", entry)).id;
    },
    offer: (user) => newReward(service, user, "Deleted soon"),
    redeem: async (user) => {
      await call({ ...service, token: other.token }, "PUT", `/v1/follows/${user.userId}`);
      const path = `/v1/rewards/${user.rewardId}/redeem`;
      const { id } = await call({ ...service, token: other.token }, "POST", path, {});
      return id;
    },
    cancel: ({ token, predictionId }) =>
      call({ ...service, token }, "POST", `/v1/predictions/${predictionId}/cancel`),
    endPoll: ({ token, pollId }) => call({ ...service, token }, "DELETE", `/v1/chat/polls/${pollId}`),
    say: async ({ token, streamId }) => {
      const path = `/v1/chat/${streamId}/messages`;
      const { uuid } = await call({ ...service, token }, "POST", path, { content: "Who deletes this?" });
      return uuid;
    },
    term: async ({ token, streamId }) => {
      const path = `/v1/chat/${streamId}/blocked-terms`;
      return (await call({ ...service, token }, "POST", path, { term: "gone soon" })).id;
    },
    held: async ({ token, streamId }) => {
      const ofRoom = `/v1/chat/${streamId}`;
      await call({ ...service, token }, "POST", `${ofRoom}/blocked-terms`, {
        term: "perhaps",
        action: "hold",
      });
      const message = { content: "Perhaps this waits" };
      return (await call({ ...service, token: other.token }, "POST", `${ofRoom}/messages`, message)).id;
    },
    note: async (user) => {
      const path = `/v1/chat/${user.streamId}/members/${other.userId}/notes`;
      return (await call({ ...service, token: user.token }, "POST", path, { text: "Kind so far." })).id;
    },
    banIn: (owner, user) =>
      call({ ...service, token: owner.token }, "PUT", `/v1/chat/${owner.streamId}/bans/${user.userId}`, {}),
    unbanRequest: async (user) => {
      await context.banIn(user, other);
      const path = `/v1/chat/${user.streamId}/unban-requests`;
      const body = { message: "I won't do it again." };
      return (await call({ ...service, token: other.token }, "POST", path, body)).id;
    },
    emote: ({ token, streamId }) =>
      newPicture({ ...service, token }, `/v1/chat/${streamId}/emotes?name=Wave`),
    badge: ({ token, streamId }) =>
      newPicture({ ...service, token }, `/v1/chat/${streamId}/badges?name=Tester`),
    grant: ({ token, streamId }, id) =>
      call({ ...service, token }, "PUT", `/v1/chat/${streamId}/badges/${id}/users/${other.userId}`, {}),
    overlay: ({ token, streamId }) => {
      const order = { kind: "alerts", name: "On my broadcast" };
      return call({ ...service, token }, "POST", `/v1/streams/${streamId}/overlays`, order);
    },
    botToken: async ({ token }) => {
      const order = { name: "bot", scopes: ["chat:read", "chat:send"] };
      return (await call({ ...service, token }, "POST", "/v1/tokens", order)).token;
    },
    checkout: async ({ token }) => {
      const order = { channel_user_id: other.userId, tier: 1 };
      return (await call({ ...service, token }, "POST", "/v1/subscriptions/checkout", order)).checkout_id;
    },
    subscribe: async ({ token }) => {
      const order = { channel_user_id: other.userId, tier: 2 };
      await pay(await call({ ...service, token }, "POST", "/v1/subscriptions/checkout", order));
      const { items } = await call({ ...service, token }, "GET", "/v1/users/me/subscriptions");
      return items[0].id;
    },
    unsubscribe: ({ token }, id) => call({ ...service, token }, "DELETE", `/v1/subscriptions/${id}`),
    tip: async ({ token, userId }) => {
      const order = { to_user_id: userId, amount_cents: 500, currency: "USD" };
      await pay(await call(service, "POST", "/v1/tips/checkout", order));
      const { items } = await call({ ...service, token }, "GET", "/v1/users/me/tips");
      return items[0].id;
    },
    apiToken: async ({ token }) =>
      (await call({ ...service, token }, "POST", "/v1/tokens", { name: "fuzz" })).id,
    signIn: (user) => anotherSession(service, user),
    notification: async ({ token, userId }) => {
      await call({ ...service, token: other.token }, "PUT", `/v1/follows/${userId}`);
      for (let tries = 0; tries < 100; tries++) {
        const { items } = await call({ ...service, token }, "GET", "/v1/notifications");
        if (items.length > 0) return items[0].id;
        await delay(100);
      }
      throw new Error("nobody was notified of a follower within ten seconds");
    },
    device: async ({ token, username }) => {
      const device = { device_token: `phone-of-${username}`, device_type: "android" };
      return (await call({ ...service, token }, "POST", "/v1/users/me/devices", device)).id;
    },
  };
  const own = {};
  for (const [index, [operationId, make]] of Object.entries(OWN_CALLERS).entries()) {
    const isTested = new RegExp(paths).test(labelOf(operationId).split(" ")[1]);
    if (!isTested) continue;
    own[labelOf(operationId)] = await several(OF_ONE_OPERATION, async (number) => {
      const user = await newUser(service, `fuzz_own_${index}_${number}`);
      return { token: user.token, headers: {}, ...(await make(user, context)) };
    });
  }
  const callers = everybody.map((user, index) => ({
    token: user.token,
    headers: {},
    ...ownChannel(user, { other: everybody[(index + 1) % everybody.length] }),
  }));
  const raidId = await newRaid({ ...service, systemKey: systemKeys.ingest }, everybody[0], everybody[1]);
  const asMediaService = { ...service, systemKey: systemKeys.media, webhookSecret };
  const videoId = await newVideo(asMediaService, everybody[0]);
  const clipId = await newClip(service, everybody[0]);
  const markerId = await newMarker(service, everybody[0]);
  for (const { facts } of callers)
    Object.assign(facts, { raid_id: raidId, clip_id: clipId, video_id: videoId, marker_id: markerId });
  // Separate ones for deletion, so that the other callers still have theirs.
  for (const [operationId, fact, make] of [
    ["deleteClip", "clip_id", () => newClip(service, everybody[0])],
    ["deleteVideo", "video_id", () => newVideo(asMediaService, everybody[0])],
    ["deleteMarker", "marker_id", () => newMarker(service, everybody[0])],
  ]) {
    own[labelOf(operationId)] = await several(OF_ONE_OPERATION, async () => ({
      ...callers[0],
      facts: { ...callers[0].facts, [fact]: await make() },
    }));
  }
  // Only of its channel, which is live.
  for (const operationId of ["startRaid", "cancelRaid", "createMarker"])
    own[labelOf(operationId)] = [callers[0]];
  const staff = await several(OF_ONE_OPERATION, (number) => newStaff(service, number, makeStaff));
  for (const operation of operations.filter(isOfStaff)) own[labelOf(operation.operationId)] = staff;
  checkFacts(callers[0], staff[0]);
  return { system_keys: keysByOperation(systemKeys), everybody: callers, own };
}

/** By operation: the key of the service that it is for. */
function keysByOperation(systemKeys) {
  const ofServices = operations.filter((operation) => operation["x-access"].who === "system");
  return Object.fromEntries(
    ofServices.map((operation) => [labelOf(operation.operationId), systemKeys[operation["x-access"].peer]]),
  );
}

/** A raid of one live channel to another. */
async function newRaid({ systemKey, ...service }, source, target) {
  for (const { streamKey, streamId } of [source, target]) {
    const hook = { app: "ingest", call: "publish", addr: "127.0.0.1", clientid: "1", name: streamKey };
    const answer = await fetch(`${service.baseUrl}/v1/webhooks/ingest/publish`, {
      method: "POST",
      headers: { "x-system-key": systemKey },
      body: new URLSearchParams({ ...hook, flashver: "", swfurl: "", tcurl: "", pageurl: "" }),
      signal: service.signal,
    });
    if (!answer.ok) throw new Error(`publishing answered ${answer.status} ${await answer.text()}`);
    while (!(await call(service, "GET", `/v1/streams/${streamId}`)).is_live)
      await delay(500, undefined, { signal: service.signal });
  }
  const order = { target_user_id: target.userId };
  return (await call({ ...service, token: source.token }, "POST", "/v1/raids", order)).id;
}

/** A clip of a live channel, once the broadcast has lasted long enough. */
async function newClip(service, { token, streamId }) {
  const order = { stream_id: streamId, title: "Does it hold?", start_time: 0, end_time: 5 };
  for (;;) {
    try {
      return (await call({ ...service, token }, "POST", "/v1/clips", order)).id;
    } catch (err) {
      if (!String(err).includes("within the running")) throw err;
      await delay(500, undefined, { signal: service.signal });
    }
  }
}

/** A marker of a live channel. */
async function newMarker(service, { token, streamId }) {
  return (await call({ ...service, token }, "POST", `/v1/streams/${streamId}/markers`, {})).id;
}

/** Reports a recording as the media service does. */
async function newVideo({ systemKey, webhookSecret, ...service }, { token, username, streamId }) {
  const [id, media_recording_id] = [randomUUID(), randomUUID()];
  const data = { stream_id: streamId, media_recording_id, duration_seconds: 60 };
  const body = JSON.stringify({ id, type: "recording.ready", created_at: new Date().toISOString(), data });
  const answer = await fetch(`${service.baseUrl}/v1/webhooks/media`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "x-system-key": systemKey,
      ...signedHeaders(webhookSecret, id, body, Date.now()),
    },
    body,
    signal: service.signal,
  });
  if (!answer.ok) throw new Error(`a recording answered ${answer.status} ${await answer.text()}`);
  const { items } = await call({ ...service, token }, "GET", `/v1/users/${username}/videos`);
  return items.find((video) => video.media_recording_id === media_recording_id).id;
}

/** A staff member, with a user who was reported, has a strike, appeals against it and asks for support. */
async function newStaff(service, number, makeStaff) {
  const [staff, user] = [
    await newUser(service, `fuzz_staff_${number}`),
    await newUser(service, `fuzz_struck_${number}`),
  ];
  await makeStaff([staff.username]);
  const [byStaff, byUser] = [staff, user].map(({ token }) => ({ ...service, token }));
  const report = { target_type: "user", target_id: user.userId, reason_code: "spam" };
  await call(byStaff, "POST", "/v1/reports", report);
  const { items } = await call(byStaff, "GET", "/v1/admin/reports?per_page=100");
  const strikes = `/v1/admin/users/${user.userId}/strikes`;
  const strike = await call(byStaff, "POST", strikes, { reason: "To be appealed against" });
  const appeal = await call(byUser, "POST", "/v1/appeals", {
    subject_type: "strike",
    subject_id: strike.id,
    message: "There was no reason for this at all.",
  });
  const support = await call(byUser, "POST", "/v1/support", {
    kind: "support",
    email: `${user.username}@example.com`,
    subject: "Help",
    message: "Please.",
  });
  const category = await call(byStaff, "POST", "/v1/admin/categories", { name: `Fuzz ${number}` });
  const facts = {
    invitation_id: (await call(byStaff, "POST", "/v1/admin/invitations", {})).id,
    badge_id: await newPicture(byStaff, `/v1/admin/badges?name=Tester${number}`),
    emote_id: await newPicture(byStaff, `/v1/admin/emotes?name=Tester${number}`),
    user_id: user.userId,
    stream_id: user.streamId,
    report_id: items.find(({ target_id }) => target_id === user.userId).id,
    category_id: category.id,
    appeal_id: appeal.id,
    support_id: support.id,
    account_id: user.userId,
    strike_id: strike.id,
  };
  return { token: staff.token, headers: {}, facts };
}

/** The operation's name in schemathesis. */
function labelOf(operationId) {
  const operation = operations.find((one) => one.operationId === operationId);
  if (!operation) throw new Error(`fuzz/world.mjs has callers of ${operationId}, which isn't an operation`);
  return `${operation.method.toUpperCase()} ${operation.path}`;
}

/** A path parameter without a fact would only get 404. */
function checkFacts(everybody, staff) {
  for (const operation of operations) {
    const { path, operationId } = operation;
    if (operationId in OWN_CALLERS) continue;
    const { facts } = isOfStaff(operation) ? staff : everybody;
    for (const [, name] of path.matchAll(/\{(\w+)\}/g)) {
      if (!(name in facts))
        throw new Error(`fuzz/world.mjs has no value of {${name}} in ${path}, nor callers of ${operationId}`);
    }
  }
}

async function several(count, make) {
  const made = [];
  for (let number = 0; number < count; number++) made.push(await make(number));
  return made;
}

async function newUser(service, username) {
  const password = `${username} is here to ask`;
  const account = { username, email: `${username}@example.com`, password };
  const { access_token: token, refresh_token: refreshToken } = await call(
    service,
    "POST",
    "/v1/auth/register",
    account,
  );
  const stream = await call({ ...service, token }, "GET", "/v1/streams/me");
  const prediction = await call({ ...service, token }, "POST", `/v1/streams/${stream.id}/predictions`, {
    title: "Does it hold?",
    outcomes: [{ title: "Yes" }, { title: "No" }],
    duration_seconds: 1_800,
  });
  const poll = await call({ ...service, token }, "POST", `/v1/chat/${stream.id}/polls`, {
    question: "Does it hold?",
    options: ["Yes", "No"],
    duration_sec: 1_800,
  });
  const rewardId = await newReward(service, { token }, "Does it hold?");
  return {
    username,
    password,
    token,
    refreshToken,
    userId: stream.user_id,
    rewardId,
    streamId: stream.id,
    streamKey: stream.stream_key,
    predictionId: prediction.id,
    outcomeId: prediction.outcomes[0].id,
    pollId: poll.id,
    optionId: poll.options[0].id,
  };
}

async function newReward(service, { token }, title) {
  const { id } = await call({ ...service, token }, "POST", "/v1/rewards", { title, cost: 1 });
  return id;
}

/** The id of an emote or a badge. */
async function newPicture(service, path) {
  const bytes = readFileSync(new URL("../../../actors/chat/sets/images/vip.webp", import.meta.url));
  return (await call(service, "POST", path, bytes, "image/webp")).id;
}

/** The id of a second session of this user. */
async function anotherSession(service, { username, password, token }) {
  await call(service, "POST", "/v1/auth/login", { login: username, password });
  const { items } = await call({ ...service, token }, "GET", "/v1/users/me/sessions");
  return items.find((session) => !session.is_current).id;
}

/** Pays by the button of the development checkout page. */
async function pay({ checkout_url }) {
  const answer = await fetch(`${checkout_url}/pay`, { method: "POST" });
  if (!answer.ok) throw new Error(`paying answered ${answer.status} ${await answer.text()}`);
}

/** `type`: the media type of bytes, which are sent as they are. */
async function call({ baseUrl, signal, token }, method, path, body, type) {
  const response = await fetch(baseUrl + path, {
    method,
    headers: {
      "content-type": type ?? "application/json",
      "x-auth-mode": "bearer",
      ...(token ? { authorization: `Bearer ${token}` } : {}),
    },
    ...(body ? { body: type ? body : JSON.stringify(body) } : {}),
    signal: AbortSignal.any([signal, AbortSignal.timeout(30_000)]),
  });
  const answer = await response.json();
  if (!response.ok)
    throw new Error(`${method} ${path} answered ${response.status} ${JSON.stringify(answer)}`);
  return answer;
}
