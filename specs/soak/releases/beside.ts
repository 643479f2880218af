import { randomUUID } from "node:crypto";
import { WebSocket } from "ws";
import { createClient, type LivecoreClient } from "../../../clients/typescript/src/index.ts";
import { enrol } from "../../../deploy/development/demo/cast.ts";
import { nginxRtmpFields } from "../../../deploy/development/evening/nginx-rtmp-fields.ts";
import type { Figures, Print } from "../../stress/scenario.ts";
import { eventually } from "../../support/eventually.ts";
import { browserAt } from "./browser.ts";
import type { RunningRelease } from "./running-release.ts";
import { type TwoReleases, withTwoReleases } from "./two-releases.ts";

type Person = { id: string; name: string; client: LivecoreClient };
type Where = { person: Person; a: RunningRelease; b: RunningRelease };

const FOLLOW_POINTS = 300;
const COST = 50;
const STAKE = 20;

/**
 * What an older release has begun goes on with this one beside it, and the reverse: this one comes beside the older one, which is ended
 * and comes back. Broadcasts are left to the older one: once this release has committed one, the older one can't read it.
 */
export function runBeside(_: object, print: Print): Promise<Figures> {
  return withTwoReleases(print, async (releases) => {
    const first = await releases.start("older");
    const channel = await channelOf(releases, first);
    const newer = await releases.start("newer");
    await rounds(channel, first, newer, print);
    await first.stop();
    const again = await releases.start("older");
    await rounds(channel, newer, again, print);
    await rounds(channel, again, newer, print);
    await newer.stop();
    const { balance } = await at(channel.fan, again).call("getPoints", {
      path: { user_id: channel.owner.id },
    });
    return { balance };
  });
}

type Channel = { streamId: string; owner: Person; fan: Person; rewardId: string; token: string };

/** A channel that is live, with a follower who has a token for programs, as the release makes them. */
async function channelOf({ systemKey }: TwoReleases, release: RunningRelease): Promise<Channel> {
  const person = async (name: string): Promise<Person> => {
    const { userId: id, username, client } = await enrol(release.http, `${name}_${randomUUID().slice(0, 8)}`);
    return { id, name: username, client };
  };
  const [owner, fan] = [await person("owner"), await person("fan")];
  const { id: streamId, stream_key: streamKey = "" } = await owner.client.call("getMyStream");
  const publisher = { streamKey, publisherId: 1 };
  await owner.client.call("ingestPublish", {
    headers: { "x-system-key": systemKey },
    body: { ...nginxRtmpFields(publisher), call: "publish" },
  });
  await fan.client.call("followUser", { path: { user_id: owner.id } });
  const { id: rewardId } = await owner.client.call("createReward", {
    body: { title: "Hydrate", cost: COST },
  });
  const { token } = await fan.client.call("createApiToken", { body: { name: "bot" } });
  const isLive = async () =>
    (await fan.client.call("getStream", { path: { stream_id: streamId } })).is_live === true;
  await eventually(isLive, { what: "the channel is live" });
  return { streamId, owner, fan, rewardId, token };
}

async function rounds(channel: Channel, a: RunningRelease, b: RunningRelease, print: Print): Promise<void> {
  await sessions({ person: channel.fan, a, b });
  for (const [from, to] of [
    [a, b],
    [b, a],
  ] as const) {
    await tokens(channel, from);
    await chat(channel, from, to);
    await points(channel, from, to);
    print(`${from.name} and ${to.name} continue what the other has begun`);
  }
}

/** The session goes on at any release; it is that of the person's client, which may be at another one. */
function at({ client }: Person, release: RunningRelease): LivecoreClient {
  const { tokens: now } = client;
  if (!now) throw new Error("nobody is signed in");
  return createClient({ baseUrl: release.http, WebSocket, auth: { mode: "bearer", tokens: now } });
}

async function sessions({ person, a, b }: Where): Promise<void> {
  for (const release of [b, a, b]) {
    const moved = at(person, release);
    const { refreshToken } = moved.tokens ?? { refreshToken: "" };
    await moved.call("refresh", { body: { refresh_token: refreshToken } });
    person.client = moved;
    for (const other of [a, b]) await at(person, other).call("getMe");
  }
  for (const [first, second] of [
    [a, b],
    [b, a],
  ] as const) {
    const browser = await browserAt(first, person.name);
    for (const release of [second, first, second]) {
      await browser.refresh(release);
      for (const other of [a, b]) await browser.get(other, "/v1/users/me");
    }
  }
}

async function tokens({ token, streamId }: Channel, release: RunningRelease): Promise<void> {
  const bot = createClient({ baseUrl: release.http, auth: { mode: "token", token } });
  await bot.call("sendChatMessage", { path: { stream_id: streamId }, body: { content: randomUUID() } });
}

/** A line, a timeout and its end, made at one, count at the other. */
async function chat(
  { streamId, owner, fan }: Channel,
  from: RunningRelease,
  to: RunningRelease,
): Promise<void> {
  const path = { stream_id: streamId };
  const live = at(owner, to).live();
  try {
    const seen = new Set<string>();
    const room = live.subscribe(`chat:${streamId}`);
    room.on("chat.message", ({ data }) => void seen.add(data.content));
    await eventually(() => room.isLive, { what: "the socket is in the room" });
    const say = async () => {
      const content = randomUUID();
      // Nobody may say more than one line a second.
      const sent = () => at(fan, from).call("sendChatMessage", { path, body: { content } });
      await eventually(sent, { everyMs: 500, what: "a line is sent" });
      await eventually(() => seen.has(content), { what: "the line is seen at the other release" });
    };
    await say();
    const of = { ...path, user_id: fan.id };
    await at(owner, from).call("timeoutUser", { path: of, body: { duration_seconds: 60 } });
    const refused = await at(fan, to).attempt("sendChatMessage", { path, body: { content: "hi" } });
    if (refused.ok || refused.error.code !== "timed_out") throw new Error(`not timed out at ${to.name}`);
    await at(owner, to).call("untimeoutUser", { path: of });
    await say();
  } finally {
    live.close();
  }
}

/** A redemption and a prediction that one release has begun are decided by the other; no point is lost. */
async function points(
  { streamId, owner, fan, rewardId }: Channel,
  from: RunningRelease,
  to: RunningRelease,
): Promise<void> {
  const redeemed = await at(fan, from).call("redeemReward", { path: { reward_id: rewardId }, body: {} });
  await at(owner, to).call("refundRedemption", { path: { redemption_id: redeemed.id } });
  const { id, outcomes } = await at(owner, from).call("createPrediction", {
    path: { stream_id: streamId },
    body: { title: "Who?", outcomes: [{ title: "This" }, { title: "That" }], duration_seconds: 600 },
  });
  const path = { prediction_id: id };
  const [outcome] = outcomes;
  if (!outcome) throw new Error("the prediction has no outcomes");
  await at(fan, to).call("placeBet", { path, body: { outcome_id: outcome.id, amount: STAKE } });
  await at(owner, from).call("lockPrediction", { path });
  await at(owner, to).call("resolvePrediction", { path, body: { outcome_id: outcome.id } });
  const isPaid = async () => (await at(fan, from).call("getMyBet", { path })).payout === STAKE;
  await eventually(isPaid, { what: "the bet is paid" });
  const { balance } = await at(fan, to).call("getPoints", { path: { user_id: owner.id } });
  if (balance < FOLLOW_POINTS) throw new Error(`${FOLLOW_POINTS - balance} points are lost`);
}
