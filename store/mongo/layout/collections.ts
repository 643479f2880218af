import type { IndexDescription } from "mongodb";
import { balanceIndexes } from "../balances.ts";
import { broadcastIndexes } from "../broadcasts.ts";
import { categoryIndexes } from "../categories.ts";
import { channelRoleIndexes, chatBanIndexes } from "../channel-people.ts";
import { chatHiddenIndexes } from "../chat-hidden.ts";
import { chatMessageIndexes } from "../chat-messages.ts";
import { followerCountIndexes } from "../follower-counts.ts";
import { followIndexes } from "../follows.ts";
import { historyIndexes } from "../history.ts";
import { idempotencyIndexes } from "../idempotency.ts";
import { ledgerIndexes } from "../ledger.ts";
import { moderationActionIndexes } from "../moderation-actions.ts";
import { outboxIndexes } from "../outbox.ts";
import { parkedActorIndexes } from "../parked-actors.ts";
import { predictionIndexes } from "../predictions.ts";
import { sessionIndexes } from "../sessions.ts";
import { signingKeyIndexes } from "../signing-keys.ts";
import { streamIndexes } from "../streams.ts";
import { timerIndexes } from "../timers.ts";
import { userIndexes, usernameIndexes } from "../users.ts";

/** Every collection of the service with its indexes. A spec compares it with the modules beside it. */
export const COLLECTIONS: Readonly<Record<string, readonly IndexDescription[]>> = {
  balances: balanceIndexes,
  bets: [],
  broadcasts: broadcastIndexes,
  categories: categoryIndexes,
  channel_roles: channelRoleIndexes,
  chat_bans: chatBanIndexes,
  chat_hidden: chatHiddenIndexes,
  chat_messages: chatMessageIndexes,
  counters: [],
  follower_counts: followerCountIndexes,
  follows: followIndexes,
  history: historyIndexes,
  idempotency: idempotencyIndexes,
  job_cursors: [],
  ledger: ledgerIndexes,
  moderation_actions: moderationActionIndexes,
  outbox: outboxIndexes,
  parked_actors: parkedActorIndexes,
  predictions: predictionIndexes,
  sessions: sessionIndexes,
  signing_keys: signingKeyIndexes,
  snapshots: [],
  streams: streamIndexes,
  timer_holders: [],
  timers: timerIndexes,
  usernames: usernameIndexes,
  users: userIndexes,
};

/** Keys of indexes that older releases made and nothing asks for any more, as JSON, by collection. */
export const RETIRED_INDEXES: Readonly<Record<string, readonly string[]>> = {
  snapshots: ['{"machine":1,"machineVersion":1,"_id":1}'],
  bets: ['{"predictionId":1,"_id":1}'],
  streams: ['{"isLive":1,"viewerCount":-1,"_id":1}', '{"isLive":1,"liveSince":-1,"_id":1}'],
};
