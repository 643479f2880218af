import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect } from "chai";
import type { Db } from "mongodb";
import type { ServiceError } from "../../../contract/errors.ts";
import { projectRoot } from "../../../deploy/processes/config/project.ts";
import { accountBansIn } from "../../../store/mongo/accounts/account-bans.ts";
import { apiTokensIn } from "../../../store/mongo/accounts/api-tokens.ts";
import { invitationsIn } from "../../../store/mongo/accounts/invitations.ts";
import { sessionsIn } from "../../../store/mongo/accounts/sessions.ts";
import { usersIn } from "../../../store/mongo/accounts/users.ts";
import { blocksIn } from "../../../store/mongo/channels/blocks.ts";
import { channelRolesIn } from "../../../store/mongo/channels/channel-roles.ts";
import { overlaysIn } from "../../../store/mongo/channels/overlays.ts";
import { badgeGrantsIn } from "../../../store/mongo/chat/badge-grants.ts";
import { blockedTermsIn } from "../../../store/mongo/chat/blocked-terms.ts";
import { chatBansIn } from "../../../store/mongo/chat/chat-bans.ts";
import { chatMessagesIn } from "../../../store/mongo/chat/chat-messages.ts";
import { memberNotesIn } from "../../../store/mongo/chat/member-notes.ts";
import { moderationActionsIn } from "../../../store/mongo/chat/moderation-actions.ts";
import { unbanRequestsIn } from "../../../store/mongo/chat/unban-requests.ts";
import { whispersIn } from "../../../store/mongo/chat/whispers.ts";
import { activityFeedIn } from "../../../store/mongo/discovery/activity-feed.ts";
import { categoriesIn } from "../../../store/mongo/discovery/categories.ts";
import { cursorAt } from "../../../store/mongo/driver/cursor.ts";
import type { Range } from "../../../store/mongo/driver/page.ts";
import { historyIn } from "../../../store/mongo/host/history.ts";
import { broadcastsIn } from "../../../store/mongo/live/broadcasts.ts";
import { clipListsIn } from "../../../store/mongo/live/clip-lists.ts";
import { listedStreamsIn } from "../../../store/mongo/live/listed-streams.ts";
import { markersIn } from "../../../store/mongo/live/markers.ts";
import { videosIn } from "../../../store/mongo/live/videos.ts";
import { subscriptionsIn } from "../../../store/mongo/monetization/subscriptions.ts";
import { tipsIn } from "../../../store/mongo/monetization/tips.ts";
import { notificationsIn } from "../../../store/mongo/notifications/notifications.ts";
import { balancesIn } from "../../../store/mongo/points/balances.ts";
import { ledgerIn } from "../../../store/mongo/points/ledger.ts";
import { predictionsIn } from "../../../store/mongo/points/predictions.ts";
import { redemptionsIn } from "../../../store/mongo/points/redemptions.ts";
import { rewardsIn } from "../../../store/mongo/points/rewards.ts";
import { raidsIn } from "../../../store/mongo/raids/raids.ts";
import { appealsIn } from "../../../store/mongo/safety/appeals.ts";
import { reportsIn } from "../../../store/mongo/safety/reports.ts";
import { staffLogIn } from "../../../store/mongo/safety/staff-log.ts";
import { strikesIn } from "../../../store/mongo/safety/strikes.ts";
import { supportRequestsIn } from "../../../store/mongo/safety/support-requests.ts";
import { openOwnStores } from "../../support/own-stores.ts";
import { openStores, type Stores } from "../../support/stores.ts";
import { plansOf } from "./query-plans.ts";

const NOW = new Date();
const RANGE: Range = { skip: 300, limit: 10 };
const PAGE: [Range] = [RANGE];
/** Cursors of lists by one, two and three fields, by the kind of the first. */
const CURSORS = [1, NOW].flatMap((first) =>
  [{}, { b: "x" }, { b: "x", c: "y" }].map((more) => {
    const place = { a: first, ...more };
    return cursorAt(Object.fromEntries(Object.keys(place).map((key) => [key, -1])), place);
  }),
);
const live = { skip: 10, limit: 10 };

const KINDS = ["follow", "subscription", "gift", "tip", "raid", "host", "redemption"] as const;

type Ask = (db: Db) => Promise<unknown>;

/** Every list by the module of its collection, each as often as its query has another form. */
const LISTS: Readonly<Record<string, readonly Ask[]>> = {
  "account-bans": [(db) => accountBansIn(db).pageOf("u", ...PAGE)],
  "activity-feed": [null, ...KINDS].map(
    (kind) => (db) => activityFeedIn(db).page({ userId: "u", streamId: "s" }, kind, ...PAGE),
  ),
  "api-tokens": [],
  appeals: [
    (db) => appealsIn(db).pageOf("u", ...PAGE),
    (db) => appealsIn(db).page(null, ...PAGE),
    (db) => appealsIn(db).page("granted", ...PAGE),
  ],
  "badge-grants": [(db) => badgeGrantsIn(db).pageOf("u", NOW, ...PAGE)],
  balances: [],
  "blocked-terms": [(db) => blockedTermsIn(db).page("s", ...PAGE)],
  blocks: [(db) => blocksIn(db).pageOf("u", ...PAGE)],
  broadcasts: [(db) => broadcastsIn(db).pageOf("s", ...PAGE)],
  categories: [(db) => categoriesIn(db).page(...PAGE), (db) => categoriesIn(db).top(10)],
  "channel-roles": [
    (db) => channelRolesIn(db).rolePage("s", "vip", ...PAGE),
    (db) => channelRolesIn(db).moderatedBy("u", 10),
  ],
  "chat-bans": [
    (db) => chatBansIn(db).banPage("s", ...PAGE),
    (db) => chatBansIn(db).pageOf("u", NOW, ...PAGE),
    (db) => chatBansIn(db).newestBansPage("s", ...PAGE),
    (db) => chatBansIn(db).timeoutsPage("s", NOW, ...PAGE),
  ],
  "chat-messages": [(db) => chatMessagesIn(db).pageOf("s", "u", ...PAGE)],
  history: [(db) => historyIn(db).page("a:1", ...PAGE)],
  invitations: [(db) => invitationsIn(db).page(NOW, ...PAGE)],
  ledger: [(db) => ledgerIn(db).page("u", "c", ...PAGE)],
  "member-notes": [(db) => memberNotesIn(db).page("s", "u", ...PAGE)],
  "moderation-actions": [
    (db) => moderationActionsIn(db).page({ streamId: "s" }, { isPublic: true, ...live }),
    (db) => moderationActionsIn(db).page({ streamId: "s" }, { isPublic: false, ...live }),
    (db) => moderationActionsIn(db).page({ streamId: "s", action: "ban" }, { isPublic: false, ...live }),
    (db) => moderationActionsIn(db).page({ streamId: "s", targetId: "u" }, { isPublic: false, ...live }),
    (db) =>
      moderationActionsIn(db).page({ streamId: "s", since: NOW, until: NOW }, { isPublic: true, ...live }),
    (db) =>
      moderationActionsIn(db).page({ streamId: "s", actorId: "u", until: NOW }, { isPublic: true, ...live }),
  ],
  notifications: [(db) => notificationsIn(db).page("u", ...PAGE)],
  overlays: [(db) => overlaysIn(db).page("s", ...PAGE)],
  predictions: [(db) => predictionsIn(db).page("s", ...PAGE)],
  raids: [(db) => raidsIn(db).page("u", ...PAGE)],
  redemptions: [
    (db) => redemptionsIn(db).page({ channelUserId: "u" }, ...PAGE),
    (db) => redemptionsIn(db).page({ channelUserId: "u", status: "pending" }, ...PAGE),
    (db) => redemptionsIn(db).page({ channelUserId: "u", rewardId: "r" }, ...PAGE),
    (db) => redemptionsIn(db).pageOfUser("u", null, ...PAGE),
    (db) => redemptionsIn(db).pageOfUser("u", "c", ...PAGE),
  ],
  markers: [(db) => markersIn(db).pageBetween("s", { from: new Date(0), to: NOW }, ...PAGE)],
  "unban-requests": [
    (db) => unbanRequestsIn(db).page("s", null, ...PAGE),
    (db) => unbanRequestsIn(db).page("s", "pending", ...PAGE),
    (db) => unbanRequestsIn(db).pageOfUser("u", null, ...PAGE),
    (db) => unbanRequestsIn(db).pageOfUser("u", "s", ...PAGE),
  ],
  reports: [
    (db) => reportsIn(db).pageOf("u", ...PAGE),
    (db) => reportsIn(db).pageAbout("u", ...PAGE),
    (db) => reportsIn(db).pageOfCase("c", ...PAGE),
    ...([null, "dismissed"] as const).flatMap((status) =>
      (["urgent", "oldest"] as const).flatMap((order) =>
        (
          [
            [null, null],
            ["clip", null],
            [null, "hate"],
            ["clip", "hate"],
          ] as const
        ).map(
          ([targetType, reasonCode]) =>
            (db: Db) =>
              reportsIn(db).casePage({ status, targetType, reasonCode, order }, ...PAGE),
        ),
      ),
    ),
  ],
  rewards: [],
  "staff-log": [
    { staffId: null, about: null, event: null },
    { staffId: "u", about: null, event: null },
    { staffId: "u", about: "u", event: null },
    { staffId: null, about: null, event: "staff.read" as const },
  ].map((filter) => (db: Db) => staffLogIn(db).page(filter, ...PAGE)),
  strikes: [(db) => strikesIn(db).pageOf("u", ...PAGE)],
  subscriptions: [
    (db) => subscriptionsIn(db).pageOfSubscriber("u", ...PAGE),
    (db) => subscriptionsIn(db).pageOfChannel("u", ...PAGE),
  ],
  "support-requests": [
    (db) => supportRequestsIn(db).page(null, ...PAGE),
    (db) => supportRequestsIn(db).page("open", ...PAGE),
  ],
  tips: [(db) => tipsIn(db).page("u", "sent", ...PAGE), (db) => tipsIn(db).page("u", "received", ...PAGE)],
  users: [
    (db) => usersIn(db).page({ q: null, status: null }, ...PAGE),
    (db) => usersIn(db).page({ q: null, status: "banned" }, ...PAGE),
    (db) => usersIn(db).page({ q: "ada", status: null }, ...PAGE),
  ],
  videos: [(db) => videosIn(db).pageOf("u", true, ...PAGE), (db) => videosIn(db).pageOf("u", false, ...PAGE)],
  whispers: [(db) => whispersIn(db).inboxOf("u", ...PAGE), (db) => whispersIn(db).pageOf("u", "v", ...PAGE)],
};

/** Found by an index, and few enough to be sorted. */
const SORTED: readonly Ask[] = [
  (db) => apiTokensIn(db).pageOfActive("u", NOW, ...PAGE),
  (db) => balancesIn(db).pageOf("u", ...PAGE),
  (db) => rewardsIn(db).page("u", ...PAGE),
  (db) => sessionsIn(db).active("u", NOW, 300, 10),
];

/** Lists that aren't pages of `pageIn`. */
const OTHERS: readonly Ask[] = [
  ...(["trending", "recent", "views"] as const).flatMap((order) =>
    [null, "u"].flatMap((channelUserId) =>
      [null, "u"].map(
        (viewerId) => (db: Db) =>
          clipListsIn(db).pageOf({ order, channelUserId, period: null, viewerId }, ...PAGE),
      ),
    ),
  ),
  (db) => chatMessagesIn(db).pageBefore("s", null, 10),
  (db) => chatMessagesIn(db).pageBefore("s", { epoch: 1, seq: 10 }, 10),
  (db) => chatMessagesIn(db).newestOf("s", "u", 20),
  (db) => chatMessagesIn(db).lastSentBefore("s", NOW),
  (db) => broadcastsIn(db).lastBefore("s", NOW),
  (db) => chatMessagesIn(db).pageBetween("s", { epoch: 1, seq: 1 }, { epoch: 1, seq: 10 }, 10),
  ...(["recent", "viewers"] as const).flatMap((order) =>
    [{}, { tag: "chess" }, { isMature: true }, { language: "de" }].map(
      (filter) => (db: Db) => listedStreamsIn(db).page({ order, filter, ...live }, NOW),
    ),
  ),
];

describe("lists", function () {
  this.timeout(60_000);
  let own: Stores;
  let stores: Stores;
  before(async () => {
    own = await openOwnStores();
    stores = await openStores(own.mongo.db.databaseName, { monitorCommands: true });
  });
  after(async () => {
    await stores.close();
    await own.close();
  });

  async function expectPlans(asks: readonly Ask[], refused: RegExp): Promise<void> {
    for (const ask of asks)
      for (const before of [null, ...CURSORS]) {
        PAGE[0] = { ...RANGE, before };
        const plans = await plansOf(stores, () => ask(stores.mongo.db)).catch((err: ServiceError) => {
          // A cursor of other lists.
          expect([before === null, err.code]).deep.equal([false, "validation_failed"]);
          return [];
        });
        for (const { text } of plans) expect(text, `${ask} ${before}`).not.match(refused);
      }
    PAGE[0] = RANGE;
  }

  for (const [name, asks] of Object.entries(LISTS))
    if (asks.length > 0)
      it(`are read by an index in its order: ${name}`, () => expectPlans(asks, /"stage":"(COLLSCAN|SORT)"/));

  it("are read by an index in its order: chat, clips, and streams by each filter", () =>
    expectPlans(OTHERS, /"stage":"(COLLSCAN|SORT)"/));

  it("are found by an index where they are sorted, being short", () =>
    expectPlans(SORTED, /"stage":"COLLSCAN"/));

  it("are all here: whatever module of the store has pages", () => {
    const folder = join(projectRoot, "store/mongo");
    const modules = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(
      (file) => file.endsWith(".ts") && readFileSync(join(folder, file), "utf8").includes("pageIn("),
    );
    const paged = modules.map((file) => basename(file, ".ts")).filter((name) => name !== "page");
    expect(paged.sort(), "LISTS of this file").deep.equal(Object.keys(LISTS).sort());
  });
});
