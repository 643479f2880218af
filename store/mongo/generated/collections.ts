/** Made from the modules of store/mongo by `npm run generate`. */
import type { CollectionSchema } from "../driver/collection.ts";
import { accountBansCollection } from "../accounts/account-bans.ts";
import { apiTokensCollection } from "../accounts/api-tokens.ts";
import { emailTokensCollection } from "../accounts/email-tokens.ts";
import { invitationsCollection } from "../accounts/invitations.ts";
import { invitedAccountsCollection } from "../accounts/invitations.ts";
import { oauthIdentitiesCollection } from "../accounts/oauth-identities.ts";
import { passkeysCollection } from "../accounts/passkeys.ts";
import { resetRequestsCollection } from "../accounts/password-reset-requests.ts";
import { pendingSignInsCollection } from "../accounts/pending-sign-ins.ts";
import { sessionsCollection } from "../accounts/sessions.ts";
import { signingKeysCollection } from "../accounts/signing-keys.ts";
import { twoFactorsCollection } from "../accounts/two-factor.ts";
import { usersCollection } from "../accounts/users.ts";
import { usernamesCollection } from "../accounts/users.ts";
import { activityMarksCollection } from "../channels/activity-marks.ts";
import { blocksCollection } from "../channels/blocks.ts";
import { channelRolesCollection } from "../channels/channel-roles.ts";
import { filesCollection } from "../channels/files.ts";
import { followChangesCollection } from "../channels/follow-changes.ts";
import { followerCountsCollection } from "../channels/follower-counts.ts";
import { followsCollection } from "../channels/follows.ts";
import { hostingCollection } from "../channels/hosting.ts";
import { overlaysCollection } from "../channels/overlays.ts";
import { scheduleCollection } from "../channels/schedule.ts";
import { streamTitlesCollection } from "../channels/stream-titles.ts";
import { streamsCollection } from "../channels/streams.ts";
import { badgeGrantsCollection } from "../chat/badge-grants.ts";
import { badgesCollection } from "../chat/badges.ts";
import { blockedTermsCollection } from "../chat/blocked-terms.ts";
import { chatBansCollection } from "../chat/chat-bans.ts";
import { chatHiddenCollection } from "../chat/chat-hidden.ts";
import { chatMessagesCollection } from "../chat/chat-messages.ts";
import { emotesCollection } from "../chat/emotes.ts";
import { heldDecisionsCollection } from "../chat/held-decisions.ts";
import { memberNotesCollection } from "../chat/member-notes.ts";
import { moderationActionsCollection } from "../chat/moderation-actions.ts";
import { pollVotesCollection } from "../chat/poll-votes.ts";
import { pollsCollection } from "../chat/polls.ts";
import { unbanRequestsCollection } from "../chat/unban-requests.ts";
import { watchedTopicsCollection } from "../chat/watched-topics.ts";
import { whispersCollection } from "../chat/whispers.ts";
import { conversationsCollection } from "../chat/whispers.ts";
import { categoriesCollection } from "../discovery/categories.ts";
import { categoryRemovalsCollection } from "../discovery/category-removals.ts";
import { channelDaysCollection } from "../discovery/channel-days.ts";
import { featuredChannelsCollection } from "../discovery/featured-channels.ts";
import { sampledMinutesCollection } from "../discovery/sampled-minutes.ts";
import { sitemapPagesCollection } from "../discovery/sitemap-pages.ts";
import { viewershipHoursCollection } from "../discovery/viewership-hours.ts";
import { countersCollection } from "../driver/counters.ts";
import { globalSetCollection } from "../driver/global-set.ts";
import { hostsCollection } from "../driver/hosts.ts";
import { idempotencyCollection } from "../driver/idempotency.ts";
import { jobCursorsCollection } from "../driver/job-cursors.ts";
import { windowedCountsCollection } from "../driver/windowed-counts.ts";
import { historyCollection } from "../host/history.ts";
import { mediaChangesCollection } from "../host/media-changes.ts";
import { outboxCollection } from "../host/outbox.ts";
import { parkedActorsCollection } from "../host/parked-actors.ts";
import { restoresCollection } from "../host/restores.ts";
import { snapshotsCollection } from "../host/snapshots.ts";
import { timerHoldersCollection } from "../host/timer-holders.ts";
import { timersCollection } from "../host/timers.ts";
import { broadcastsCollection } from "../live/broadcasts.ts";
import { chatMinutesCollection } from "../live/chat-minutes.ts";
import { clipLikesCollection } from "../live/clip-likes.ts";
import { clipRemovalsCollection } from "../live/clip-removals.ts";
import { clipsCollection } from "../live/clips.ts";
import { countedViewsCollection } from "../live/counted-views.ts";
import { markersCollection } from "../live/markers.ts";
import { publisherDropsCollection } from "../live/publisher-drops.ts";
import { publishersCollection } from "../live/publishers.ts";
import { videosCollection } from "../live/videos.ts";
import { deletedRecordingsCollection } from "../live/videos.ts";
import { viewingsCollection } from "../live/viewings.ts";
import { checkoutsCollection } from "../monetization/checkouts.ts";
import { subscriptionSeatsCollection } from "../monetization/checkouts.ts";
import { hooksCollection } from "../monetization/hooks.ts";
import { platformCallsCollection } from "../monetization/platform-calls.ts";
import { subscriptionsCollection } from "../monetization/subscriptions.ts";
import { tipsCollection } from "../monetization/tips.ts";
import { mailsCollection } from "../notifications/mails.ts";
import { notificationDeliveriesCollection } from "../notifications/notification-deliveries.ts";
import { notificationFactsCollection } from "../notifications/notification-facts.ts";
import { notificationPreferencesCollection } from "../notifications/notification-preferences.ts";
import { notificationsCollection } from "../notifications/notifications.ts";
import { pushDevicesCollection } from "../notifications/push-devices.ts";
import { pushesCollection } from "../notifications/pushes.ts";
import { balancesCollection } from "../points/balances.ts";
import { betsCollection } from "../points/bets.ts";
import { ledgerCollection } from "../points/ledger.ts";
import { predictionsCollection } from "../points/predictions.ts";
import { redemptionsCollection } from "../points/redemptions.ts";
import { rewardsCollection } from "../points/rewards.ts";
import { raidMembersCollection } from "../raids/raid-members.ts";
import { raidSettingsCollection } from "../raids/raid-settings.ts";
import { raidsCollection } from "../raids/raids.ts";
import { appealsCollection } from "../safety/appeals.ts";
import { auditEntriesCollection } from "../safety/audit-entries.ts";
import { reportCasesCollection } from "../safety/reports.ts";
import { reportsCollection } from "../safety/reports.ts";
import { staffLogCollection } from "../safety/staff-log.ts";
import { strikesCollection } from "../safety/strikes.ts";
import { supportRequestsCollection } from "../safety/support-requests.ts";

/** Every collection of the service. */
export const COLLECTIONS: readonly CollectionSchema[] = [
  accountBansCollection,
  apiTokensCollection,
  emailTokensCollection,
  invitationsCollection,
  invitedAccountsCollection,
  oauthIdentitiesCollection,
  passkeysCollection,
  resetRequestsCollection,
  pendingSignInsCollection,
  sessionsCollection,
  signingKeysCollection,
  twoFactorsCollection,
  usersCollection,
  usernamesCollection,
  activityMarksCollection,
  blocksCollection,
  channelRolesCollection,
  filesCollection,
  followChangesCollection,
  followerCountsCollection,
  followsCollection,
  hostingCollection,
  overlaysCollection,
  scheduleCollection,
  streamTitlesCollection,
  streamsCollection,
  badgeGrantsCollection,
  badgesCollection,
  blockedTermsCollection,
  chatBansCollection,
  chatHiddenCollection,
  chatMessagesCollection,
  emotesCollection,
  heldDecisionsCollection,
  memberNotesCollection,
  moderationActionsCollection,
  pollVotesCollection,
  pollsCollection,
  unbanRequestsCollection,
  watchedTopicsCollection,
  whispersCollection,
  conversationsCollection,
  categoriesCollection,
  categoryRemovalsCollection,
  channelDaysCollection,
  featuredChannelsCollection,
  sampledMinutesCollection,
  sitemapPagesCollection,
  viewershipHoursCollection,
  countersCollection,
  globalSetCollection,
  hostsCollection,
  idempotencyCollection,
  jobCursorsCollection,
  windowedCountsCollection,
  historyCollection,
  mediaChangesCollection,
  outboxCollection,
  parkedActorsCollection,
  restoresCollection,
  snapshotsCollection,
  timerHoldersCollection,
  timersCollection,
  broadcastsCollection,
  chatMinutesCollection,
  clipLikesCollection,
  clipRemovalsCollection,
  clipsCollection,
  countedViewsCollection,
  markersCollection,
  publisherDropsCollection,
  publishersCollection,
  videosCollection,
  deletedRecordingsCollection,
  viewingsCollection,
  checkoutsCollection,
  subscriptionSeatsCollection,
  hooksCollection,
  platformCallsCollection,
  subscriptionsCollection,
  tipsCollection,
  mailsCollection,
  notificationDeliveriesCollection,
  notificationFactsCollection,
  notificationPreferencesCollection,
  notificationsCollection,
  pushDevicesCollection,
  pushesCollection,
  balancesCollection,
  betsCollection,
  ledgerCollection,
  predictionsCollection,
  redemptionsCollection,
  rewardsCollection,
  raidMembersCollection,
  raidSettingsCollection,
  raidsCollection,
  appealsCollection,
  auditEntriesCollection,
  reportCasesCollection,
  reportsCollection,
  staffLogCollection,
  strikesCollection,
  supportRequestsCollection,
];
