/** Made from the modules of store/mongo by `npm run generate`. */
import type { CollectionSchema } from "../collection.ts";
import { accountBansCollection } from "../account-bans.ts";
import { activityMarksCollection } from "../activity-marks.ts";
import { apiTokensCollection } from "../api-tokens.ts";
import { appealsCollection } from "../appeals.ts";
import { auditEntriesCollection } from "../audit-entries.ts";
import { badgeGrantsCollection } from "../badge-grants.ts";
import { badgesCollection } from "../badges.ts";
import { balancesCollection } from "../balances.ts";
import { betsCollection } from "../bets.ts";
import { blockedTermsCollection } from "../blocked-terms.ts";
import { blocksCollection } from "../blocks.ts";
import { broadcastsCollection } from "../broadcasts.ts";
import { categoriesCollection } from "../categories.ts";
import { categoryRemovalsCollection } from "../category-removals.ts";
import { channelDaysCollection } from "../channel-days.ts";
import { channelRolesCollection } from "../channel-roles.ts";
import { chatBansCollection } from "../chat-bans.ts";
import { chatHiddenCollection } from "../chat-hidden.ts";
import { chatMessagesCollection } from "../chat-messages.ts";
import { checkoutsCollection } from "../checkouts.ts";
import { subscriptionSeatsCollection } from "../checkouts.ts";
import { clipLikesCollection } from "../clip-likes.ts";
import { clipRemovalsCollection } from "../clip-removals.ts";
import { clipsCollection } from "../clips.ts";
import { countedViewsCollection } from "../counted-views.ts";
import { countersCollection } from "../counters.ts";
import { emailTokensCollection } from "../email-tokens.ts";
import { emotesCollection } from "../emotes.ts";
import { featuredChannelsCollection } from "../featured-channels.ts";
import { filesCollection } from "../files.ts";
import { followChangesCollection } from "../follow-changes.ts";
import { followerCountsCollection } from "../follower-counts.ts";
import { followsCollection } from "../follows.ts";
import { globalSetCollection } from "../global-set.ts";
import { heldDecisionsCollection } from "../held-decisions.ts";
import { historyCollection } from "../history.ts";
import { hooksCollection } from "../hooks.ts";
import { hostingCollection } from "../hosting.ts";
import { hostsCollection } from "../hosts.ts";
import { idempotencyCollection } from "../idempotency.ts";
import { jobCursorsCollection } from "../job-cursors.ts";
import { ledgerCollection } from "../ledger.ts";
import { mailsCollection } from "../mails.ts";
import { mediaChangesCollection } from "../media-changes.ts";
import { moderationActionsCollection } from "../moderation-actions.ts";
import { notificationDeliveriesCollection } from "../notification-deliveries.ts";
import { notificationFactsCollection } from "../notification-facts.ts";
import { notificationPreferencesCollection } from "../notification-preferences.ts";
import { notificationsCollection } from "../notifications.ts";
import { oauthIdentitiesCollection } from "../oauth-identities.ts";
import { outboxCollection } from "../outbox.ts";
import { parkedActorsCollection } from "../parked-actors.ts";
import { resetRequestsCollection } from "../password-reset-requests.ts";
import { pendingSignInsCollection } from "../pending-sign-ins.ts";
import { platformCallsCollection } from "../platform-calls.ts";
import { pollVotesCollection } from "../poll-votes.ts";
import { pollsCollection } from "../polls.ts";
import { predictionsCollection } from "../predictions.ts";
import { publisherDropsCollection } from "../publisher-drops.ts";
import { publishersCollection } from "../publishers.ts";
import { pushDevicesCollection } from "../push-devices.ts";
import { pushesCollection } from "../pushes.ts";
import { raidMembersCollection } from "../raid-members.ts";
import { raidSettingsCollection } from "../raid-settings.ts";
import { raidsCollection } from "../raids.ts";
import { redemptionsCollection } from "../redemptions.ts";
import { reportCasesCollection } from "../reports.ts";
import { reportsCollection } from "../reports.ts";
import { restoresCollection } from "../restores.ts";
import { rewardsCollection } from "../rewards.ts";
import { scheduleCollection } from "../schedule.ts";
import { sessionsCollection } from "../sessions.ts";
import { signingKeysCollection } from "../signing-keys.ts";
import { sitemapPagesCollection } from "../sitemap-pages.ts";
import { snapshotsCollection } from "../snapshots.ts";
import { streamTitlesCollection } from "../stream-titles.ts";
import { streamsCollection } from "../streams.ts";
import { strikesCollection } from "../strikes.ts";
import { subscriptionsCollection } from "../subscriptions.ts";
import { supportRequestsCollection } from "../support-requests.ts";
import { timerHoldersCollection } from "../timer-holders.ts";
import { timersCollection } from "../timers.ts";
import { tipsCollection } from "../tips.ts";
import { twoFactorsCollection } from "../two-factor.ts";
import { usersCollection } from "../users.ts";
import { usernamesCollection } from "../users.ts";
import { videosCollection } from "../videos.ts";
import { deletedRecordingsCollection } from "../videos.ts";
import { viewershipHoursCollection } from "../viewership-hours.ts";
import { viewingsCollection } from "../viewings.ts";
import { watchedTopicsCollection } from "../watched-topics.ts";
import { whispersCollection } from "../whispers.ts";
import { conversationsCollection } from "../whispers.ts";
import { windowedCountsCollection } from "../windowed-counts.ts";

/** Every collection of the service. */
export const COLLECTIONS: readonly CollectionSchema[] = [
  accountBansCollection,
  activityMarksCollection,
  apiTokensCollection,
  appealsCollection,
  auditEntriesCollection,
  badgeGrantsCollection,
  badgesCollection,
  balancesCollection,
  betsCollection,
  blockedTermsCollection,
  blocksCollection,
  broadcastsCollection,
  categoriesCollection,
  categoryRemovalsCollection,
  channelDaysCollection,
  channelRolesCollection,
  chatBansCollection,
  chatHiddenCollection,
  chatMessagesCollection,
  checkoutsCollection,
  subscriptionSeatsCollection,
  clipLikesCollection,
  clipRemovalsCollection,
  clipsCollection,
  countedViewsCollection,
  countersCollection,
  emailTokensCollection,
  emotesCollection,
  featuredChannelsCollection,
  filesCollection,
  followChangesCollection,
  followerCountsCollection,
  followsCollection,
  globalSetCollection,
  heldDecisionsCollection,
  historyCollection,
  hooksCollection,
  hostingCollection,
  hostsCollection,
  idempotencyCollection,
  jobCursorsCollection,
  ledgerCollection,
  mailsCollection,
  mediaChangesCollection,
  moderationActionsCollection,
  notificationDeliveriesCollection,
  notificationFactsCollection,
  notificationPreferencesCollection,
  notificationsCollection,
  oauthIdentitiesCollection,
  outboxCollection,
  parkedActorsCollection,
  resetRequestsCollection,
  pendingSignInsCollection,
  platformCallsCollection,
  pollVotesCollection,
  pollsCollection,
  predictionsCollection,
  publisherDropsCollection,
  publishersCollection,
  pushDevicesCollection,
  pushesCollection,
  raidMembersCollection,
  raidSettingsCollection,
  raidsCollection,
  redemptionsCollection,
  reportCasesCollection,
  reportsCollection,
  restoresCollection,
  rewardsCollection,
  scheduleCollection,
  sessionsCollection,
  signingKeysCollection,
  sitemapPagesCollection,
  snapshotsCollection,
  streamTitlesCollection,
  streamsCollection,
  strikesCollection,
  subscriptionsCollection,
  supportRequestsCollection,
  timerHoldersCollection,
  timersCollection,
  tipsCollection,
  twoFactorsCollection,
  usersCollection,
  usernamesCollection,
  videosCollection,
  deletedRecordingsCollection,
  viewershipHoursCollection,
  viewingsCollection,
  watchedTopicsCollection,
  whispersCollection,
  conversationsCollection,
  windowedCountsCollection,
];
