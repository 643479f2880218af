import { expect } from "chai";
import { codeAt } from "../../../actors/accounts/two-factor/one-time-codes.ts";
import { FIRST_PICTURE_MS } from "../../../actors/live/live-stream/machine.ts";
import { SEALED_FIELDS } from "../../../actors/resealing/sealed-fields.ts";
import { OPERATOR } from "../../../base/audit.ts";
import { shows } from "../../../contract/coverage/shows.ts";
import { operationsOf, readOpenApi } from "../../../contract/openapi-document.ts";
import { createLogger } from "../../../deploy/processes/process/logger.ts";
import type { StreamDoc } from "../../../store/mongo/channels/streams.ts";
import { clipsCollection } from "../../../store/mongo/live/clips.ts";
import { holdMessage } from "../../realtime/rooms/hold-message.ts";
import { tracesOf, undeclared } from "../../store/personal/traces.ts";
import { movableClock } from "../../support/clock.ts";
import { MASTER_KEY } from "../../support/core.ts";
import { eventually } from "../../support/eventually.ts";
import { type IdentityProvider, startIdentityProvider } from "../../support/identity-provider.ts";
import { mailboxOf, tokenIn } from "../../support/mailbox.ts";
import { openOwnStores } from "../../support/own-stores.ts";
import { newPasskey } from "../../support/passkey.ts";
import { givenTwoFactor } from "../../support/two-factor.ts";
import { openWorld, type World } from "../../support/world.ts";
import { createStoryRunner, type Step } from "./example-story.ts";
import { sealedValuesIn } from "./sealed-values.ts";

const { MemberId } = readOpenApi().components.parameters;
const ALAN = String(MemberId?.example);
const LINK = String(exampleOf("verifyEmail").token);
const GRACE = String(exampleOf("createRaid").target_user_id);

/** A PNG. */
const onePixel = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
const CODE = String(exampleOf("verifyTwoFactor").code);
const TOKEN = String(exampleOf("finishLogin").two_factor_token);

const { EmoteId, BadgeId, PasskeyId, UnsubscribeToken } = readOpenApi().components.parameters;
const UNSUBSCRIBE = String(UnsubscribeToken?.example);
const idIn = (body: unknown): unknown => Object(body).id;
const EMOTE = { example: String(EmoteId?.example), in: idIn };
const BADGE = { example: String(BadgeId?.example), in: idIn };
const PASSKEY = { example: String(PasskeyId?.example), in: idIn };
const HANDLE = String(Object(exampleOf("signInWithPasskey").credential).response.userHandle);
const CHALLENGE = "9sWm2Xc7RtYbLk0PzNf5aHdJ8fGa4eUo6iBsxQM3hVE";
const BADGE_QUERY = { name: "First hundred", color: "#1f9d55" };

/** The body of an operation's example. */
function exampleOf(id: string): Record<string, unknown> {
  const found = operationsOf(readOpenApi()).find(({ operation }) => operation.operationId === id);
  return Object(found?.operation.requestBody?.content["application/json"]?.example);
}

describe("the document's examples, run in order against the service", () => {
  const clock = movableClock();
  let world: World;
  let provider: IdentityProvider;

  /** What Alan's app has of the provider, by the operation that takes it. */
  const codes = { linkProvider: {}, signInWithOauth: {} };
  /** What Ada's browser makes with her passkey, by the operation that takes it. */
  const signed = { createPasskey: {}, signInWithPasskey: {} };
  const passkey = newPasskey();
  const lines: string[] = [];
  /** What was sent and answered that no log may hold, with where. */
  const secrets = new Map<string, string>();

  /** One evening, in which each operation finds what it needs. */
  const story: readonly Step[] = [
    { does: "getHealth" },
    { does: "getLiveness" },
    { does: "getServing" },
    { does: "getRestServing" },
    { does: "getSocketsServing" },
    { does: "getJwks" },
    { does: "getMinVersion", query: { platform: "ios", version: "1.4.0" } },
    { does: "getInstance" },
    { does: "getOpenApi" },
    { does: "getAsyncApi" },
    {
      does: "register",
      as: "grace",
      instead: { username: "Grace", email: "grace@example.com" },
      known: { example: GRACE, in: (body) => Object(body).user.id },
    },
    {
      does: "register",
      as: "alan",
      instead: { username: "Alan", email: "alan@example.com" },
      known: { example: ALAN, in: (body) => Object(body).user.id },
      brings: { example: LINK, made: () => mailed("alan@example.com", /Verify/) },
    },
    { does: "checkSignUp" },
    { does: "verifyEmail" },
    { does: "resendVerification", as: "alan" },
    { does: "register", as: "ada", next: becomesStaff },
    { does: "stepUp", as: "ada" },
    {
      does: "setUpTwoFactor",
      as: "ada",
      known: { example: CODE, in: (body) => codeAt(Object(body).secret, clock.now()) },
    },
    { does: "verifyTwoFactor", as: "ada", next: beginsToSignIn },
    {
      does: "renewRecoveryCodes",
      as: "ada",
      known: { example: TOKEN, in: () => pendingToken },
    },
    { does: "finishLogin", as: "ada" },
    {
      does: "startPasskeyRegistration",
      as: "ada",
      known: {
        example: HANDLE,
        in: (body) => {
          Object.assign(signed.createPasskey, { credential: passkey.create(Object(body)) });
          return Object(body).options.user.id;
        },
      },
    },
    { does: "createPasskey", as: "ada", instead: signed.createPasskey, known: PASSKEY },
    { does: "listPasskeys", as: "ada" },
    { does: "updatePasskey", as: "ada" },
    { does: "startPasskeyStepUp", as: "ada" },
    {
      does: "startPasskeySignIn",
      known: {
        example: CHALLENGE,
        in: (body) => {
          Object.assign(signed.signInWithPasskey, { credential: passkey.get(Object(body)) });
          return Object(body).options.challenge;
        },
      },
    },
    { does: "signInWithPasskey", as: "ada", instead: signed.signInWithPasskey },
    { does: "deletePasskey", as: "ada" },
    { does: "updateMe", as: "ada" },
    { does: "getMe", as: "ada" },
    { does: "getMyEmail", as: "ada" },
    { does: "updateMyStream", as: "ada" },
    { does: "rotateStreamKey", as: "ada" },
    { does: "ingestPublish", next: goesLive },
    { does: "getMyStream", as: "ada" },
    { does: "getStream", as: "grace" },
    { does: "getUserStream", as: "grace" },
    { does: "getStreamHistory", as: "ada" },
    { does: "createMarker", as: "ada" },
    { does: "listMarkers", as: "ada" },
    { does: "getStreamTimeline", as: "ada", instead: { points: "nothing has happened yet" } },
    { does: "heartbeat" },
    { does: "getViewerCount" },
    { does: "listStreams" },
    { does: "createCategory", as: "ada" },
    { does: "updateCategory", as: "ada" },
    { does: "setCategoryCover", as: "ada", bytes: onePixel },
    { does: "listCategories", instead: { items: "more of them than the example has" } },
    { does: "getCategory" },
    { does: "listCategoryStreams" },
    { does: "setFeatured", as: "ada" },
    { does: "listFeatured", as: "ada" },
    { does: "listRecommendedStreams", as: "alan" },
    { does: "getPlayback" },
    { does: "getEdgeConfig" },
    { does: "getIngestConfig" },
    { does: "mediaHook", instead: { created_at: new Date().toISOString() } },
    { does: "listVideos" },
    { does: "getVideo" },
    { does: "getVideoPlayback" },
    { does: "listVideoMarkers", as: "ada", instead: { items: "nobody marked anything during it" } },
    { does: "deleteMarker", as: "ada" },
    { does: "listVideoChat", instead: { items: "nothing was said during it" } },
    { does: "viewVideo" },
    { does: "updateVideo", as: "ada" },
    { does: "deleteVideo", as: "ada", next: async () => clock.move(45_000) },
    { does: "createClip", as: "grace", next: clipIsMade },
    { does: "getClip" },
    { does: "likeClip", as: "grace" },
    { does: "viewClip" },
    { does: "listClips" },
    { does: "listUserClips" },
    { does: "search", query: { q: "parser" } },
    { does: "listSearchSuggestions", query: { q: "ada" } },
    { does: "updateClip", as: "ada" },
    { does: "unlikeClip", as: "grace" },
    { does: "deleteClip", as: "ada" },
    { does: "followUser", as: "grace", next: adaIsNotified },
    { does: "listNotifications", as: "ada" },
    { does: "countUnreadNotifications", as: "ada" },
    { does: "readNotification", as: "ada" },
    { does: "readAllNotifications", as: "ada" },
    { does: "deleteNotification", as: "ada" },
    { does: "getNotificationPreferences", as: "ada" },
    { does: "getWebPushKey", instead: { public_key: "nothing is pushed to browsers here" } },
    {
      does: "setNotificationPreferences",
      as: "ada",
      brings: { example: UNSUBSCRIBE, made: mailedToAda },
    },
    { does: "unsubscribeFromMails", query: { token: UNSUBSCRIBE } },
    { does: "listMyFollowing", as: "grace" },
    { does: "updateFollow", as: "grace" },
    { does: "getPublicProfile", as: "grace" },
    { does: "getChannel" },
    { does: "listFollowing" },
    { does: "listFollowers" },
    { does: "listFollowedStreams", as: "grace" },
    { does: "getHome", as: "grace", instead: { top_categories: "more of them than the example has" } },
    { does: "hostChannel", as: "grace" },
    { does: "getHosting" },
    { does: "unhostChannel", as: "grace" },
    { does: "setAutoHost", as: "grace" },
    { does: "getAutoHost", as: "grace" },
    { does: "listOauthProviders" },
    { does: "startOauth" },
    { does: "forwardOauthPost" },
    { does: "finishOauth", next: () => alanComesFromThere("linkProvider") },
    { does: "linkProvider", as: "alan", instead: codes.linkProvider },
    { does: "listLinkedProviders", as: "alan", next: () => alanComesFromThere("signInWithOauth") },
    { does: "signInWithOauth", as: "alan", instead: codes.signInWithOauth },
    { does: "startOauthLink", as: "alan" },
    { does: "unlinkProvider", as: "alan" },
    { does: "createWsTicket", as: "grace" },
    { does: "createApiToken", as: "grace" },
    { does: "listApiTokens", as: "grace" },
    { does: "deleteApiToken", as: "grace" },
    { does: "createToken", as: "grace", anew: true },
    { does: "listTokens", as: "grace" },
    { does: "updateChatSettings", as: "ada" },
    { does: "getChatModes" },
    { does: "sendChatMessage", as: "grace" },
    {
      does: "listBotMessages",
      byToken: true,
      query: { channel: "ada", after: "0:0", limit: "1" },
      instead: { cursor: "where the room is" },
    },
    { does: "getChatRoom", as: "grace" },
    { does: "listChatMessages" },
    { does: "getChatUser", as: "grace" },
    { does: "addChannelEmote", as: "ada", bytes: onePixel, query: { name: "gracePog" }, known: EMOTE },
    { does: "listChannelEmotes" },
    { does: "deleteChannelEmote", as: "ada" },
    { does: "addGlobalEmote", as: "ada", bytes: onePixel, query: { name: "gracePog" }, known: EMOTE },
    { does: "listGlobalEmotes" },
    { does: "deleteGlobalEmote", as: "ada" },
    { does: "listBadges" },
    { does: "addChannelBadge", as: "ada", bytes: onePixel, query: BADGE_QUERY, known: BADGE },
    { does: "listChannelBadges" },
    { does: "grantChannelBadge", as: "ada" },
    { does: "listUserBadges" },
    { does: "revokeChannelBadge", as: "ada" },
    { does: "deleteChannelBadge", as: "ada" },
    {
      does: "addGlobalBadge",
      as: "ada",
      bytes: onePixel,
      known: BADGE,
      query: { ...BADGE_QUERY, type: "special" },
    },
    { does: "grantGlobalBadge", as: "ada" },
    { does: "revokeGlobalBadge", as: "ada" },
    { does: "deleteGlobalBadge", as: "ada" },
    { does: "pinChatMessage", as: "ada" },
    { does: "unpinChatMessage", as: "ada" },
    { does: "announceInChat", as: "ada" },
    { does: "deleteChatMessage", as: "ada" },
    { does: "addModerator", as: "ada" },
    { does: "listModeratedChannels", as: "alan" },
    { does: "listModerators" },
    { does: "removeModerator", as: "ada" },
    { does: "addVip", as: "ada" },
    { does: "listVips" },
    { does: "removeVip", as: "ada" },
    { does: "runChatCommand", as: "ada" },
    { does: "listModerationActions", as: "ada", instead: { items: "what was done before as well" } },
    { does: "listAllModerationActions", as: "ada", instead: { items: "what was done before as well" } },
    { does: "listChatters", as: "ada", instead: { items: "nobody has a socket there" } },
    { does: "timeoutUser", as: "ada" },
    { does: "listMyChatBans", as: "alan" },
    { does: "getChatMember", as: "ada", instead: { actions: "what was done before as well" } },
    { does: "listRestrictions", as: "ada", query: { type: "timeout" } },
    { does: "listMemberMessages", as: "ada", instead: { items: "he has written nothing there" } },
    { does: "createMemberNote", as: "ada" },
    { does: "listMemberNotes", as: "ada" },
    { does: "deleteMemberNote", as: "ada" },
    { does: "untimeoutUser", as: "ada" },
    { does: "banUser", as: "ada" },
    { does: "createUnbanRequest", as: "alan" },
    { does: "listUnbanRequests", as: "ada" },
    { does: "listMyUnbanRequests", as: "alan" },
    { does: "approveUnbanRequest", as: "ada" },
    { does: "getUnbanRequestHistory", as: "ada" },
    { does: "banUser", as: "ada", next: graceIsHeld },
    { does: "createUnbanRequest", as: "alan", anew: true },
    { does: "denyUnbanRequest", as: "ada" },
    { does: "listHeldMessages", as: "ada" },
    { does: "addBlockedTerm", as: "ada" },
    { does: "listBlockedTerms", as: "ada" },
    { does: "testBlockedTerms", as: "ada" },
    { does: "updateBlockedTerm", as: "ada" },
    { does: "deleteBlockedTerm", as: "ada" },
    { does: "createPoll", as: "ada" },
    { does: "voteInPoll", as: "grace" },
    { does: "getCurrentPoll", as: "grace" },
    { does: "endPoll", as: "ada" },
    { does: "approveHeldMessage", as: "ada", next: graceIsHeld },
    { does: "listHeldMessages", as: "ada", anew: true },
    { does: "denyHeldMessage", as: "ada" },
    { does: "listBans", as: "ada" },
    { does: "unbanUser", as: "ada" },
    { does: "clearChat", as: "ada", next: async () => clock.move(31_000) },
    { does: "sendBotMessage", byToken: true },
    { does: "deleteToken", as: "grace" },
    { does: "createChatToken", as: "alan", anew: true },
    { does: "endChatToken", byToken: true },
    { does: "createPrediction", as: "ada" },
    { does: "placeBet", as: "grace" },
    { does: "getPrediction", as: "grace" },
    { does: "listPredictions", as: "grace" },
    { does: "getMyBet", as: "grace" },
    { does: "getPoints", as: "grace" },
    { does: "listMyPoints", as: "grace" },
    { does: "getPointsLedger", as: "grace" },
    { does: "getMyStanding", as: "grace" },
    { does: "lockPrediction", as: "ada" },
    { does: "getPredictionHistory", as: "ada" },
    { does: "resolvePrediction", as: "ada" },
    { does: "createPrediction", as: "ada", anew: true },
    { does: "cancelPrediction", as: "ada" },
    { does: "listSubscriptionTiers" },
    {
      does: "createSubscriptionCheckout",
      as: "grace",
      known: { example: "019cedc8-0000-7a12-8b1c-5d6e7f8091a4", in: (body) => orderOf(body)?.checkoutId },
    },
    { does: "billingHook", instead: { created_at: new Date().toISOString() } },
    { does: "getCheckout", as: "grace" },
    { does: "listMySubscriptions", as: "grace" },
    { does: "listMySubscribers", as: "ada" },
    { does: "getSubscriptionHistory", as: "grace" },
    { does: "cancelSubscription", as: "grace" },
    { does: "resumeSubscription", as: "grace" },
    { does: "changeSubscriptionTier", as: "grace" },
    {
      does: "createTipCheckout",
      as: "grace",
      known: { example: "019cedc8-0000-7a11-8b1c-5d6e7f8091a3", in: (body) => orderOf(body)?.tipId },
      next: tipIsShown,
    },
    { does: "listMyTips", as: "ada" },
    { does: "createOverlay", as: "ada" },
    { does: "listOverlays", as: "ada" },
    { does: "getOverlay", byOverlay: true },
    { does: "listOverlayAlerts", byOverlay: true },
    { does: "testOverlay", as: "ada" },
    { does: "updateOverlay", as: "ada" },
    { does: "renewOverlay", as: "ada", anew: true },
    { does: "deleteOverlay", as: "ada" },
    { does: "createReward", as: "ada" },
    { does: "updateReward", as: "ada" },
    { does: "listRewards" },
    { does: "redeemReward", as: "grace" },
    { does: "listRedemptions", as: "ada" },
    { does: "listStreamActivity", as: "ada", instead: { items: "what happened before as well" } },
    { does: "listMyRedemptions", as: "grace" },
    { does: "fulfilRedemption", as: "ada" },
    { does: "getRedemptionHistory", as: "ada" },
    { does: "redeemReward", as: "grace", anew: true },
    { does: "refundRedemption", as: "ada" },
    { does: "redeemReward", as: "grace", anew: true },
    { does: "decideRedemptions", as: "ada" },
    { does: "getCreatorAnalytics", as: "ada", instead: { days: "one for each day of the period" } },
    { does: "refundTip", as: "ada" },
    { does: "deleteReward", as: "ada", next: watches },
    { does: "getUserSeo" },
    { does: "getStreamSeo" },
    { does: "createScheduleEntry", as: "ada" },
    { does: "listSchedule", query: { from: "2026-03-15T00:00:00Z", to: "2026-03-16T00:00:00Z" } },
    { does: "listMySchedule", as: "ada" },
    { does: "updateScheduleEntry", as: "ada" },
    { does: "getScheduleCalendar" },
    { does: "deleteScheduleEntry", as: "ada" },
    { does: "claimPoints", as: "grace" },
    { does: "setRaidSettings", as: "grace" },
    { does: "getRaidSettings", as: "grace", next: graceIsRaidable },
    { does: "createRaid", as: "ada" },
    { does: "getCurrentRaid", as: "ada" },
    { does: "leaveRaid", as: "alan" },
    { does: "joinRaid", as: "alan", next: raidIsReady },
    { does: "startRaid", as: "ada" },
    { does: "getRaidHistory", as: "ada", next: raidIsOver },
    { does: "listMyRaids", as: "grace" },
    { does: "createRaid", as: "ada", anew: true },
    { does: "cancelRaid", as: "ada" },
    { does: "createReport", as: "alan" },
    { does: "listMyReports", as: "alan" },
    { does: "sendWhisper", as: "alan" },
    { does: "listWhisperConversations", as: "alan" },
    { does: "listWhispers", as: "alan" },
    { does: "readWhispers", as: "alan" },
    { does: "listReports", as: "ada" },
    { does: "getStaffQueues", as: "ada" },
    { does: "handleReport", as: "ada" },
    { does: "getReport", as: "ada" },
    { does: "listCaseReports", as: "ada" },
    { does: "getReportHistory", as: "ada" },
    { does: "listUserReports", as: "ada" },
    { does: "giveStrike", as: "ada" },
    { does: "listStrikes", as: "ada" },
    { does: "listMyStrikes", as: "alan" },
    { does: "createAppeal", as: "alan" },
    { does: "listMyAppeals", as: "alan" },
    { does: "listAppeals", as: "ada" },
    { does: "handleAppeal", as: "ada" },
    { does: "revokeStrike", as: "ada" },
    { does: "createSupportRequest" },
    { does: "listSupportRequests", as: "ada" },
    { does: "getSupportRequest", as: "ada" },
    { does: "handleSupportRequest", as: "ada" },
    { does: "createInvitation", as: "ada" },
    { does: "listInvitations", as: "ada" },
    { does: "revokeInvitation", as: "ada" },
    { does: "updateUser", as: "ada" },
    { does: "getUser", as: "ada" },
    { does: "listUsers", as: "ada", query: { q: "alan" } },
    { does: "banAccount", as: "ada" },
    { does: "listAccountBans", as: "ada" },
    { does: "listStaffLog", as: "ada", query: { event: "account.banned" } },
    { does: "unbanAccount", as: "ada" },
    { does: "unfollowUser", as: "grace" },
    { does: "blockUser", as: "grace" },
    { does: "listMyBlocks", as: "grace" },
    { does: "unblockUser", as: "grace" },
    { does: "setSeoTags", as: "grace" },
    { does: "setAvatar", as: "grace", bytes: onePixel },
    { does: "setBanner", as: "grace", bytes: onePixel },
    { does: "exportMe", as: "grace", instead: { file: "its form has a spec of its own" } },
    { does: "changePassword", as: "grace" },
    { does: "ingestUpdate" },
    { does: "ingestPublishDone" },
    { does: "endBroadcast", as: "ada" },
    { does: "deleteCategoryCover", as: "ada" },
    { does: "deleteCategory", as: "ada" },
    { does: "registerDevice", as: "ada" },
    { does: "listDevices", as: "ada" },
    { does: "updateDevice", as: "ada" },
    { does: "removeDevice", as: "ada" },
    { does: "registerDevice", as: "ada", anew: true },
    { does: "disableTwoFactor", as: "ada" },
    { does: "login", as: "ada" },
    { does: "refresh", as: "ada" },
    { does: "endSessions", as: "ada" },
    { does: "listSessions", as: "ada" },
    { does: "endSession", as: "ada" },
    { does: "logout", as: "grace" },
    {
      does: "forgotPassword",
      instead: { email: "alan@example.com" },
      brings: { example: LINK, made: () => mailed("alan@example.com", /Reset/) },
    },
    { does: "resetPassword", brings: { example: LINK, made: alanMoves } },
    { does: "undoEmailChange", brings: { example: LINK, made: protectedByAnother } },
    { does: "undoTwoFactor" },
    {
      does: "login",
      as: "grace",
      instead: { login: "grace", password: String(exampleOf("changePassword").new_password) },
    },
    {
      does: "deleteMe",
      as: "grace",
      instead: { password: String(exampleOf("changePassword").new_password) },
    },
  ];

  before(async () => {
    provider = await startIdentityProvider("example");
    const setting = { ...provider.appSetting(), id: "example", name: "Example" };
    const oauth = { providers: [setting], returnUrls: ["https://app.example/"] } as const;
    const destination = { write: (line: string) => void lines.push(line) };
    const log = createLogger({ level: "debug", readable: false, process: "spec", destination });
    world = await openWorld({ clock, log, stores: openOwnStores, oauth, sendsMails: true });
  });

  after(async () => {
    await world.close();
    await provider.close();
  });

  async function alanComesFromThere(to: keyof typeof codes): Promise<void> {
    Object.assign(codes[to], await provider.nativeCode("alan there"));
  }

  let checkoutUrl = "";

  /** What a checkout is for, by its page's address. */
  function orderOf(body: unknown) {
    checkoutUrl = String(Object(body).checkout_url);
    return world.payments.orderOf(checkoutUrl.slice(checkoutUrl.lastIndexOf("/") + 1));
  }

  const mailed = async (to: string, subject: RegExp) => tokenIn(await mailboxOf(world).next(to, subject));

  /** To another address, which the one before may undo. */
  async function alanMoves(): Promise<string> {
    const password = String(exampleOf("resetPassword").password);
    const { access_token: token = "" } = await world.api
      .with({ "x-auth-mode": "bearer" })
      .ok("login", { body: { login: "alan", password } });
    await world.api.as({ token }).ok("updateMe", { body: { email: "alan@example.net", password } });
    await world.api.ok("verifyEmail", { body: { token: await mailed("alan@example.net", /Confirm/) } });
    return mailed("alan@example.com", /address of your account was changed/);
  }

  /** The link of somebody's second factor. */
  async function protectedByAnother(): Promise<string> {
    const [username, email] = ["joan", "joan@example.com"];
    const { access_token: token = "" } = await world.api
      .with({ "x-auth-mode": "bearer" })
      .ok("register", { body: { username, email, password: "a phrase for her examples" } });
    await world.api.ok("verifyEmail", { body: { token: await mailed(email, /Verify/) } });
    await givenTwoFactor(world.core, world.api.as({ token }));
    return mailed(email, /Two-factor authentication was turned on for your account/);
  }

  async function adaIsNotified(): Promise<void> {
    const { _id: userId } = await world.core.directory.requireByUsername("ada");
    await eventually(async () => (await world.core.notifications.unread(userId)) === 1, {
      what: "the job notifies her of her follower",
    });
    // By then it is decided that she isn't notified of the clip before.
    await world.core.notificationPreferences.set(userId, {});
  }

  async function mailedToAda(): Promise<string> {
    const { _id: userId } = await world.core.directory.requireByUsername("ada");
    return world.core.unsubscribing.tokenFor(userId);
  }

  async function becomesStaff(): Promise<void> {
    await world.core.staff.setStaff("ada", true, OPERATOR);
  }

  let pendingToken = "";

  async function beginsToSignIn(): Promise<void> {
    const { two_factor_token } = await world.api
      .with({ "x-auth-mode": "bearer" })
      .ok("login", { body: exampleOf("login") });
    pendingToken = String(two_factor_token);
  }

  async function goesLive(): Promise<void> {
    clock.move(FIRST_PICTURE_MS);
    await eventually(async () => (await world.api.ok("listStreams")).total === 1, {
      what: "the stream goes live",
    });
  }

  /** As the media service would report it. */
  /** Without notifying her: her list is to have one line. */
  async function clipIsMade(): Promise<void> {
    const { _id: userId } = await world.core.directory.requireByUsername("ada");
    await world.core.notificationPreferences.set(userId, { clips: false });
    const clip = await clipsCollection.in(world.core.mongo.db).findOne();
    const urls = ["mp4", "jpg"].map((end) => `https://cdn.example.com/clips/parser.${end}`);
    const data = { clip_id: clip?._id, video_url: urls[0], thumbnail_url: urls[1] };
    const created_at = new Date(clock.now()).toISOString();
    await world.core.media.report("clip", { id: "clip", type: "clip.ready", created_at, data });
  }

  /** Grace, long enough for a bonus, and without what else watching brings. */
  async function watches(): Promise<void> {
    const { streams, points, directory } = world.core;
    const [grace, ada] = await Promise.all(["grace", "ada"].map(directory.requireByUsername));
    const stream = await streams.findByUser(ada?._id ?? "");
    const watched = { userId: grace?._id ?? "", channelUserId: ada?._id ?? "", streamId: stream?._id ?? "" };
    for (const window of [1, 2, 3]) await points.earnPresence({ ...watched, window });
  }

  async function tipIsShown(): Promise<void> {
    await fetch(`${checkoutUrl}/pay`, { method: "POST" });
    const tips = world.core.mongo.db.collection("tips");
    await eventually(async () => (await tips.countDocuments({ messageState: "shown" })) === 1, {
      what: "the room shows the tip's message",
    });
  }

  /** As a blocked term would hold what she says. */
  async function graceIsHeld(): Promise<void> {
    const { directory, streams, redis } = world.core;
    const [grace, ada] = await Promise.all(["grace", "ada"].map(directory.requireByUsername));
    const stream = await streams.findByUser(ada?._id ?? "");
    if (!stream || !grace) throw new Error("both have signed up");
    await holdMessage(redis, { stream, author: grace, now: clock.now() }, "Buy followers here", "followers");
  }

  async function graces(): Promise<StreamDoc> {
    const { directory, streams } = world.core;
    const stream = await streams.findByUser((await directory.requireByUsername("grace"))._id);
    if (!stream) throw new Error("Grace has a stream");
    return stream;
  }

  async function graceIsRaidable(): Promise<void> {
    const { core } = world;
    await core.broadcasts.publish({ stream: await graces(), clientId: "7" });
    clock.move(FIRST_PICTURE_MS);
    await eventually(async () => (await world.api.ok("listStreams")).total === 2, {
      what: "Grace goes live",
    });
  }

  async function raidIsReady(): Promise<void> {
    const { raids } = world.core;
    const [raid] = (await raids.page((await graces()).userId, { skip: 0, limit: 1 })).items;
    clock.move(10_000);
    await eventually(async () => (await raids.history(raid?._id ?? "", { skip: 0, limit: 9 })).total === 2, {
      what: "the raid may be started",
    });
  }

  async function raidIsOver(): Promise<void> {
    clock.move(60_000);
    await eventually(
      async () =>
        (await world.core.raids.page((await graces()).userId, { skip: 0, limit: 1 })).items[0]?.status ===
        "completed",
      {
        what: "the raid is completed",
      },
    );
  }

  it("leave no operation out", () => {
    const all = operationsOf(readOpenApi())
      .map(({ operation }) => operation.operationId)
      // Nobody but Stripe can sign what it takes.
      .filter((operationId) => operationId !== "stripeHook");
    const called = new Set(story.map(({ does }) => String(does)));
    expect(all.filter((operationId) => !called.has(operationId))).deep.equal([]);
  });

  it("are what it answers, save for ids, times and counts", async () => {
    const runStep = createStoryRunner(world, secrets);
    const faults: string[] = [];
    for (const step of story) await runStep(step).catch((err: unknown) => faults.push(String(err)));
    expect(faults).deep.equal([]);
    shows("answers.bare");
  }).timeout(60_000);

  it("leave no secret in the log, at debug too, nor in the audit log", () => {
    expect(lines.length).greaterThan(100);
    const kinds = [...secrets.values()].join();
    for (const kind of [
      "password",
      "access_token",
      "refresh_token",
      "stream_key",
      "ticket",
      "device_token",
      "device_id",
    ])
      expect(kinds).include(`.${kind}`);

    const all = [...lines, ...world.audited.map((line) => JSON.stringify(line))].join("\n");
    const known = [
      ...secrets,
      ...Object.entries(world.systemKeys).map(([peer, key]) => [key, `key: ${peer}`]),
      [MASTER_KEY, "master key"],
    ];
    const leaked = known.filter(([secret = ""]) => all.includes(secret)).map(([, where]) => where);
    expect(leaked).deep.equal([]);
  });

  it("leave nothing sealed in the database that a change of MASTER_KEY would forget", async () => {
    const { places, unopened } = await sealedValuesIn(world.core.mongo.db, MASTER_KEY);

    const known = SEALED_FIELDS.map(({ collection, field }) => `${collection}.${field}`);
    expect(
      places.filter((place) => !known.includes(place)),
      "actors/resealing/sealed-fields.ts",
    ).deep.equal([]);
    expect(places).include.members([
      "signing_keys.privateSealed",
      "streams.streamKeySealed",
      "push_devices.tokenSealed",
    ]);
    expect(unopened).deep.equal([]);
  });

  it("leave nobody's id in a field of which its collection doesn't say what becomes of it", async () => {
    const { db } = world.core.mongo;
    const ids = (await db.collection<{ _id: string }>("users").find().toArray()).map(({ _id }) => _id);

    expect(ids.length).greaterThan(2);
    expect(undeclared(await tracesOf(db, ids))).deep.equal([]);
  });
});
