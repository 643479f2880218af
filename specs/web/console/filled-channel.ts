import { expect } from "chai";
import { DAY_MS } from "../../../base/durations.ts";
import { newId } from "../../../base/ids.ts";
import { RAID_HOLD_MS } from "../../../store/mongo/raids/raids.ts";
import { givenBilling } from "../../support/billing.ts";
import { eventually } from "../../support/eventually.ts";
import type { Channel, Given, Person } from "../../support/given-channels.ts";
import { image } from "../../support/images.ts";
import type { World } from "../../support/world.ts";
import { hostileName, hostileText } from "../hostile-text.ts";

/** A channel that is live, with rows in all lists of its owner's console and its desk: whatever people write there is hostile. */
export async function filledChannel(world: World, given: Given): Promise<Channel> {
  const channel = await given.liveChannel();
  const fan = await given.followerOf(channel);
  await fillOwnLists(world, given, channel);
  await redeem(channel, fan);
  await pay(world, channel, { fan, friend: await given.user() });
  await record(world, channel, fan);
  await moderate(given, channel);
  await raid(world, given, channel);
  return channel;
}

/** What its owner has written and chosen. */
async function fillOwnLists(world: World, given: Given, { owner, at: params }: Channel): Promise<void> {
  const { api } = owner;
  await api.ok("updateMyStream", { body: { name: hostileText("stream", 140) } });
  const starts_at = new Date(world.clock.now() + DAY_MS).toISOString();
  for (const is_recurring of [true, false])
    await api.ok("createScheduleEntry", {
      body: { title: hostileText("planned", 140), starts_at, is_recurring },
    });
  for (const kind of ["alerts", "chat"] as const)
    await api.ok("createOverlay", { params, body: { kind, name: hostileText("overlay", 60), settings: {} } });
  const picture = await image();
  await api.ok("addChannelBadge", { params, query: { name: hostileName("badge", 32) }, ...picture });
  await api.ok("addChannelEmote", { params, query: { name: "x".repeat(32) }, ...picture });
  await api.ok("createPrediction", {
    params,
    body: {
      title: hostileText("guess", 45),
      outcomes: ["Yes", "No"].map((title) => ({ title: title.padEnd(25, "x") })),
      duration_seconds: 1_800,
    },
  });
  const poll = {
    question: hostileText("poll", 60),
    options: ["Yes", "No"].map((text) => text.padEnd(25, "x")),
  };
  await api.ok("createPoll", { params, body: { ...poll, duration_sec: 1_800 } });
  await api.ok("createMarker", { params, body: { description: hostileText("marker", 140) } });
  const unwanted = await given.user();
  await api.ok("setRaidSettings", { body: { blocked_user_ids: [unwanted.id] } });
  await api.ok("setAutoHost", { body: { user_ids: [unwanted.id] } });
  await api.ok("addModerator", { params: { ...params, user_id: (await given.user()).id } });
  await api.ok("addVip", { params: { ...params, user_id: (await given.user()).id } });
  const elsewhere = await given.liveChannel();
  await elsewhere.owner.api.ok("updateMyStream", { body: { name: hostileText("elsewhere", 140) } });
  await elsewhere.owner.api.ok("addModerator", { params: { ...elsewhere.at, user_id: owner.id } });
}

async function redeem({ owner }: Channel, fan: Person): Promise<void> {
  const texts = { title: hostileText("reward", 45), description: hostileText("about", 200) };
  const body = { ...texts, cost: 100, requires_input: true, cooldown_seconds: 1 };
  const { id } = await owner.api.ok("createReward", { body });
  const user_input = hostileText("input", 200);
  await fan.api.ok("redeemReward", { params: { reward_id: id }, body: { user_input } });
}

async function pay(
  world: World,
  { owner }: Channel,
  { fan, friend }: { fan: Person; friend: Person },
): Promise<void> {
  const billing = givenBilling(world);
  const plan = { channel_user_id: owner.id, tier: 2 as const };
  for (const body of [plan, { ...plan, gift_to_user_id: friend.id }])
    await billing.press((await fan.api.ok("createSubscriptionCheckout", { body })).checkout_url, "pay");
  const message = hostileText("tip", 255);
  const body = { to_user_id: owner.id, amount_cents: 500, currency: "USD", message };
  await billing.press((await fan.api.ok("createTipCheckout", { body })).checkout_url, "pay");
  await eventually(
    async () => expect((await owner.api.ok("listMyTips")).items[0]?.message_state).not.equal(null),
    { what: "the tip's text is decided about" },
  );
}

async function record(world: World, { owner, at }: Channel, fan: Person): Promise<void> {
  world.clock.move(10_000);
  const clip = { ...at, title: hostileText("clip", 100), start_time: 0, end_time: 5 };
  await fan.api.ok("createClip", { body: clip });
  const data = { ...at, media_recording_id: newId(), duration_seconds: 500 };
  await givenBilling(world).send({ type: "recording.ready", data }, {}, "mediaHook");
  const { username } = owner;
  const [video] = (await owner.api.ok("listVideos", { params: { username } })).items;
  const params = { video_id: video?.id ?? "" };
  await owner.api.ok("updateVideo", { params, body: { title: hostileText("video", 140) } });
}

async function moderate(given: Given, { owner, at: params }: Channel): Promise<void> {
  const [talker, held] = [await given.user(), await given.user()];
  const [banned, silenced] = [await given.user(), await given.user()];
  const { api } = owner;
  for (const term of [hostileText("term", 500), "forbidden"])
    await api.ok("addBlockedTerm", { params, body: { term, action: "hold" } });
  await talker.api.ok("sendChatMessage", { params, body: { content: hostileText("said", 500) } });
  const content = `${hostileText("held", 490)} forbidden`;
  expect((await held.api.call("sendChatMessage", { params, body: { content } })).status).equal(202);
  const reason = hostileText("banned", 500);
  await api.ok("banUser", { params: { ...params, user_id: banned.id }, body: { reason } });
  await banned.api.ok("createUnbanRequest", { params, body: { message: hostileText("request", 500) } });
  const body = { duration_seconds: 600, reason: hostileText("silenced", 500) };
  await api.ok("timeoutUser", { params: { ...params, user_id: silenced.id }, body });
}

async function raid({ clock }: World, given: Given, { owner }: Channel): Promise<void> {
  const raider = await given.liveChannel();
  const body = { target_user_id: owner.id, message: hostileText("raid", 200) };
  const { id } = await raider.owner.api.ok("createRaid", { body });
  clock.move(RAID_HOLD_MS);
  await raider.owner.api.ok("startRaid", { params: { raid_id: id } });
  const host = await given.channel();
  await host.owner.api.ok("hostChannel", { body: { target_user_id: owner.id } });
}
