import { FIRST_PICTURE_MS } from "../../../actors/live/live-stream/machine.ts";
import { newId } from "../../../base/ids.ts";
import { usersCollection } from "../../../store/mongo/accounts/users.ts";
import type { Api, CallOptions, OperationId } from "../../support/api.ts";
import { eventually } from "../../support/eventually.ts";
import type { Channel, Given, Person } from "../../support/given-channels.ts";
import { givenStaff } from "../../support/given-staff.ts";
import { image } from "../../support/images.ts";
import type { World } from "../../support/world.ts";

/** Who reads a list, and which. */
type FilledList = { api: Api; options: CallOptions };
type Fill = () => Promise<FilledList>;

/** Of each list: enough that two pairs have one time each, if the world's clock stands. */
export const ITEMS = 5;

/** By operation: fills its list with at least ITEMS items. */
export async function listsIn(world: World, given: Given): Promise<Partial<Record<OperationId, Fill>>> {
  const { core, clock } = world;
  const channels = await Promise.all(Array.from({ length: ITEMS + 1 }, () => given.channel()));
  const [channel, fanChannel, ...others] = channels;
  if (!channel || !fanChannel) throw new Error("there are several");
  const { owner, at } = channel;
  const fan = fanChannel.owner;
  const fans = [fan, ...others.map((other) => other.owner)];
  const staff = await givenStaff(world, given).staff();
  const username = owner.username;
  const read = (api: Api, options: CallOptions = {}): FilledList => ({ api, options });

  async function inPairs<Item, Made>(items: readonly Item[], make: (item: Item, n: number) => Promise<Made>) {
    const made: Made[] = [];
    for (const [n, item] of items.entries()) {
      made.push(await make(item, n));
      if (n % 2 === 1) clock.move(1_000);
    }
    return made;
  }
  const times = <Made>(make: (n: number) => Promise<Made>) => inPairs(fans, (_fan, n) => make(n));
  /** Fills once, for lists of the same items. */
  const once = <Made>(make: () => Promise<Made>) => {
    let made: Promise<Made> | null = null;
    return () => (made ??= make());
  };

  const tokens = once(() => times((n) => owner.api.ok("createApiToken", { body: { name: `bot ${n}` } })));
  const follows = once(async () => {
    await inPairs(fans, ({ api }) => api.ok("followUser", { params: { user_id: owner.id } }));
    await inPairs(fans, ({ id }) => owner.api.ok("followUser", { params: { user_id: id } }));
  });
  const acts = once(() =>
    inPairs(fans, ({ id }) => owner.api.ok("addVip", { params: { ...at, user_id: id } })),
  );
  const onAir = once(() => goLive(channels));
  const clips = once(async () => {
    await onAir();
    clock.move(10_000);
    // Some are private, which only their creator and the channel's owner see.
    await times((n) => newClip(n < 2 ? "private" : "public"));
  });
  const subscriptions = once(async () => {
    await inPairs(fans, ({ id }) => subscribe(owner.id, id));
    await inPairs(fans, ({ id }) => subscribe(id, owner.id));
  });
  const redemptions = once(async () => {
    await follows();
    const reward = await owner.api.ok("createReward", { body: { title: "Hydrate", cost: 1 } });
    const params = { reward_id: reward.id };
    await times(() => fan.api.ok("redeemReward", { params, body: {} }));
  });
  const strikes = once(async () => {
    const struck = await given.user();
    await times(async () => {
      const params = { account_id: struck.id };
      const { id } = await staff.api.ok("giveStrike", { params, body: { reason: "Insults" } });
      const body = { subject_type: "strike", subject_id: id, message: "I was quoting somebody else." };
      await struck.api.ok("createAppeal", { body });
      // The third one in force would ban the account.
      await staff.api.ok("revokeStrike", { params: { ...params, strike_id: id } });
    });
    return struck;
  });
  const whispers = once(async () => {
    const users = usersCollection.in(core.mongo.db);
    const ids = [owner, ...fans].map(({ id }) => id);
    await users.updateMany({ _id: { $in: ids } }, { $set: { emailVerifiedAt: new Date(clock.now()) } });
    // Of nobody more than the three a second that are allowed.
    await inPairs(fans, (sender) => whisper(sender, owner));
    for (const [sender, recipient] of [
      [owner, fan],
      [fan, owner],
      [owner, fan],
      [fan, owner],
    ] as const)
      await whisper(sender, recipient);
  });
  const whisper = (sender: Person, { id: user_id }: Person) =>
    sender.api.ok("sendWhisper", { params: { user_id }, body: { content: "Psst" } });

  async function goLive(all: readonly Channel[]): Promise<{ category_id: string }> {
    const { id: category_id } = await staff.api.ok("createCategory", {
      body: { name: `Walks ${owner.username}` },
    });
    for (const [n, { stream, owner: streamer }] of all.entries()) {
      await streamer.api.ok("updateMyStream", { body: { category_id } });
      await given.hook("publish", { key: stream.stream_key });
      if (n % 2 === 1) clock.move(FIRST_PICTURE_MS);
    }
    clock.move(FIRST_PICTURE_MS);
    await eventually(async () => (await Promise.all(all.map(isLive))).every((live) => live), {
      what: "all are live",
    });
    return { category_id };
  }
  const isLive = async (one: Channel) => (await one.owner.api.ok("getMyStream")).is_live;

  async function newClip(visibility: "private" | "public"): Promise<void> {
    const input = { streamId: at.stream_id, title: "Goal", startTime: 0, endTime: 5, description: "" };
    const { _id } = await core.clips.create(fan.id, { ...input, visibility });
    const data = { clip_id: _id, video_url: "https://cdn.example.com/clip.mp4" };
    const created_at = new Date(clock.now()).toISOString();
    await core.media.report(_id, { id: _id, type: "clip.ready", created_at, data });
  }

  function subscribe(subscriberId: string, channelUserId: string): Promise<unknown> {
    const paid = { id: newId(), happenedAt: clock.now(), isGift: false, giftedBy: null, platformId: null };
    return core.subscriptions.paid(
      newId(),
      { subscriberId, channelUserId },
      { ...paid, tier: 2, priceCents: 999 },
    );
  }

  async function newBadge(n: number): Promise<void> {
    const query = { name: `Badge ${n}` };
    const { id } = await owner.api.ok("addChannelBadge", { params: at, query, ...(await image()) });
    const params = { ...at, badge_id: id, user_id: fan.id };
    await owner.api.ok("grantChannelBadge", { params, body: {} });
  }

  async function newPrediction(): Promise<void> {
    const outcomes = [{ title: "Yes" }, { title: "No" }];
    const body = { title: "A goal?", outcomes, duration_seconds: 600 };
    const { id } = await owner.api.ok("createPrediction", { params: at, body });
    await owner.api.ok("cancelPrediction", { params: { prediction_id: id } });
  }

  async function raidFrom(source: Person): Promise<void> {
    const { id } = await source.api.ok("createRaid", { body: { target_user_id: owner.id } });
    await source.api.ok("cancelRaid", { params: { raid_id: id } });
  }

  async function newVideo(): Promise<void> {
    const [id, media_recording_id] = [newId(), newId()];
    const data = { ...at, media_recording_id, duration_seconds: 60 };
    const created_at = new Date(clock.now()).toISOString();
    await core.media.report(id, { id, type: "recording.ready", created_at, data });
  }

  return {
    listApiTokens: async () => tokens().then(() => read(owner.api)),
    listTokens: async () => tokens().then(() => read(owner.api)),
    listUserBadges: async () =>
      times(newBadge).then(() => read(world.api, { params: { username: fan.username } })),
    listStreamActivity: async () => follows().then(() => read(owner.api, { params: at })),
    listModerationActions: async () => acts().then(() => read(owner.api, { params: at })),
    listAllModerationActions: async () => acts().then(() => read(staff.api, { params: at })),
    listClips: async () => clips().then(() => read(fan.api, { query: { sort: "recent" } })),
    listUserClips: async () =>
      clips().then(() => read(fan.api, { params: { username }, query: { sort: "recent" } })),
    listCategoryStreams: async () => onAir().then((params) => read(world.api, { params })),
    listStreams: async () => onAir().then(() => read(world.api)),
    listMySubscriptions: async () => subscriptions().then(() => read(owner.api)),
    listMySubscribers: async () => subscriptions().then(() => read(owner.api)),
    listMyTips: async () => {
      const body = { to_user_id: owner.id, amount_cents: 100, currency: "USD" };
      await inPairs(fans, ({ api }) => api.ok("createTipCheckout", { body }));
      return read(owner.api);
    },
    listNotifications: async () => {
      const { id: user_id, api } = await given.user();
      await inPairs(fans, (one) => one.api.ok("followUser", { params: { user_id } }));
      const arrived = async () => (await api.ok("listNotifications")).total === ITEMS;
      await eventually(arrived, { what: "all arrive" });
      return read(api);
    },
    getPointsLedger: async () => redemptions().then(() => read(fan.api, { params: { user_id: owner.id } })),
    listPredictions: async () => times(newPrediction).then(() => read(owner.api, { params: at })),
    listMyRaids: async () => {
      await onAir();
      await inPairs(fans, raidFrom);
      return read(owner.api);
    },
    listRedemptions: async () => redemptions().then(() => read(owner.api)),
    listMemberNotes: async () => {
      const params = { ...at, user_id: fan.id };
      await times((n) => owner.api.ok("createMemberNote", { params, body: { text: `Note ${n}` } }));
      return read(owner.api, { params });
    },
    listMemberMessages: async () => {
      const params = { ...at, user_id: owner.id };
      await times((n) => owner.api.ok("sendChatMessage", { params: at, body: { content: `Hello ${n}` } }));
      const archived = async () => (await owner.api.ok("listMemberMessages", { params })).total >= ITEMS;
      await eventually(archived, { what: "all are archived" });
      return read(owner.api, { params });
    },
    listMyUnbanRequests: async () => {
      const banned = await given.user();
      await inPairs(channels.slice(0, ITEMS), async (one) => {
        await one.owner.api.ok("banUser", { params: { ...one.at, user_id: banned.id } });
        await banned.api.ok("createUnbanRequest", { params: one.at, body: { message: "Please" } });
      });
      return read(banned.api);
    },
    listMyRedemptions: async () => redemptions().then(() => read(fan.api)),
    listMyReports: async () => {
      const report = (target_id: string) =>
        owner.api.ok("createReport", { body: { target_type: "user", target_id, reason_code: "spam" } });
      await inPairs(fans, ({ id }) => report(id));
      return read(owner.api);
    },
    listMyAppeals: async () => strikes().then(({ api }) => read(api)),
    listMyStrikes: async () => strikes().then(({ api }) => read(api)),
    listMyChatBans: async () => {
      const banned = await given.user();
      await inPairs(channels.slice(0, ITEMS), ({ owner: moderator, at: room }) =>
        moderator.api.ok("banUser", { params: { ...room, user_id: banned.id }, body: {} }),
      );
      return read(banned.api);
    },
    // Others use the same log: only what this one did.
    listStaffLog: async () => {
      const { id } = await given.user();
      const params = { account_id: id };
      for (let n = 0; n < ITEMS; n++) await staff.api.ok("getUser", { params });
      return read(staff.api, { query: { about: id } });
    },
    listCaseReports: async () => {
      const subject = await given.user();
      await inPairs(fans, ({ api }) =>
        api.ok("createReport", {
          body: { target_type: "user", target_id: subject.id, reason_code: "spam" },
        }),
      );
      const { items } = await staff.api.ok("listUserReports", { params: { account_id: subject.id } });
      return read(staff.api, { params: { report_id: items[0]?.id ?? "" } });
    },
    listUserReports: async () => {
      const subject = await given.user();
      // One after the other: an undecided entry takes in what else is reported of its target.
      for (let n = 0; n < ITEMS; n++) {
        const reporter = await given.user();
        await reporter.api.ok("createReport", {
          body: { target_type: "user", target_id: subject.id, reason_code: "spam" },
        });
        const { items } = await staff.api.ok("listUserReports", { params: { account_id: subject.id } });
        const params = { report_id: items[0]?.id ?? "" };
        for (const action of ["claim", "dismiss"] as const)
          await staff.api.ok("handleReport", { params, body: { action } });
      }
      return read(staff.api, { params: { account_id: subject.id } });
    },
    listAccountBans: async () => {
      const params = { account_id: (await given.user()).id };
      for (let n = 0; n < ITEMS; n++) {
        await staff.api.ok("banAccount", { params, body: { reason: "Insults" } });
        await staff.api.ok("unbanAccount", { params });
      }
      return read(staff.api, { params });
    },
    listStrikes: async () => strikes().then(({ id }) => read(staff.api, { params: { account_id: id } })),
    listFollowers: async () => follows().then(() => read(world.api, { params: { username } })),
    listFollowing: async () => follows().then(() => read(world.api, { params: { username } })),
    listMyBlocks: async () => {
      const blocker = await given.user();
      await inPairs(fans, ({ id }) => blocker.api.ok("blockUser", { params: { user_id: id } }));
      return read(blocker.api);
    },
    listVideos: async () => times(newVideo).then(() => read(world.api, { params: { username } })),
    listWhisperConversations: async () => whispers().then(() => read(owner.api)),
    listWhispers: async () => whispers().then(() => read(owner.api, { params: { user_id: fan.id } })),
  };
}
