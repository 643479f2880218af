import type { RaidUpdate } from "../raids/outgoing-raid.ts";
import type { Schemas } from "../site/page-data.ts";

/** Texts as people write them who test how much a page bears. */
export const LONG = `${"Donaudampfschifffahrt".repeat(5)} and what else there is to say`;
export const HOSTILE = `<img src=x onerror=alert(1)> "quoted" & \u202Eנתפס שלום`;
const AT = "2026-11-20T18:30:00.000Z";
const ID = "0b6f3c1e-6c1f-4d9a-9a53-8f1c7a5d2e10";

const userOf = (username: string, username_title: string | null = null): Schemas["UserSummary"] => ({
  id: username,
  username,
  username_title,
  image_url: null,
});

export const ADA = userOf("ada", "Ada");
/** As long as a name may be, without a place to break it. */
export const WIDE = userOf("w".repeat(25), "W".repeat(25));

export const streamOf = (change: Partial<Schemas["StreamCard"]> = {}): Schemas["StreamCard"] => ({
  id: ID,
  name: "Writing a parser by hand",
  thumbnail_url: null,
  is_live: true,
  realtime_viewer_count: 1_234,
  updated_at: AT,
  user: ADA,
  category: { id: "just-chatting", slug: "just-chatting", name: "Just Chatting" },
  language: "en",
  is_mature: false,
  tags: ["parsers", "english"],
  ...change,
});

export const videoOf = (change: Partial<Schemas["Video"]> = {}): Schemas["Video"] => ({
  id: ID,
  user_id: ADA.id,
  stream_id: null,
  media_recording_id: null,
  title: "The whole evening",
  thumbnail_url: null,
  duration_seconds: 7_384,
  view_count: 56_789,
  visibility: "public",
  is_mature: false,
  streamer: ADA,
  started_at: AT,
  published_at: AT,
  created_at: AT,
  ...change,
});

export const clipOf = (change: Partial<Schemas["Clip"]> = {}): Schemas["Clip"] => ({
  id: ID,
  stream_id: ID,
  user_id: ADA.id,
  title: "It compiles",
  description: "",
  duration: 30,
  start_time: 100,
  end_time: 130,
  visibility: "public",
  is_mature: false,
  views_count: 1,
  likes_count: 0,
  status: "ready",
  streamer: ADA,
  creator: ADA,
  created_at: AT,
  updated_at: AT,
  ...change,
});

export const messageOf = (change: Partial<Schemas["ChatMessage"]> = {}): Schemas["ChatMessage"] => ({
  uuid: ID,
  user_id: ADA.id,
  username: ADA.username,
  room_id: 1,
  content: "is that the new parser?",
  type: "message",
  timestamp: Date.parse(AT),
  is_deleted: false,
  reply_to_id: null,
  reply_to_user: null,
  created_at: AT,
  emotes: [],
  badges: [],
  ...change,
});

export const pollOf = (change: Partial<Schemas["ChatPoll"]> = {}): Schemas["ChatPoll"] => ({
  id: ID,
  question: "Which one next?",
  status: "active",
  options: [
    { id: "a", text: "The lexer", order: 0, votes: 12 },
    { id: "b", text: LONG.slice(0, 60), order: 1, votes: 3 },
    { id: "c", text: HOSTILE, order: 2, votes: 0 },
  ],
  total_votes: 15,
  created_at: AT,
  ends_at: AT,
  duration_sec: 60,
  creator_id: ADA.id,
  ...change,
});

/** What a press does here. */
export async function nothing(): Promise<void> {
  // Only looks are shown.
}

export const predictionOf = (change: Partial<Schemas["Prediction"]> = {}): Schemas["Prediction"] => ({
  id: ID,
  stream_id: ID,
  title: "Does it compile?",
  status: "active",
  locks_at: "2999-01-01T00:00:00.000Z",
  resolved_outcome_id: null,
  outcomes: [
    { id: "a", title: "Yes", color: null, points_pool: 1_234_567, bettor_count: 321 },
    { id: "b", title: LONG.slice(0, 25), color: "#ec4899", points_pool: 1, bettor_count: 1 },
    { id: "c", title: HOSTILE.slice(0, 25), color: null, points_pool: 0, bettor_count: 0 },
  ],
  created_at: AT,
  ...change,
});

export const rewardOf = (change: Partial<Schemas["ChannelReward"]> = {}): Schemas["ChannelReward"] => ({
  id: ID,
  title: "Hydrate",
  description: null,
  cost: 100,
  is_enabled: true,
  is_paused: false,
  requires_input: false,
  channel_user_id: ADA.id,
  skip_queue: false,
  cooldown_seconds: null,
  max_per_stream: null,
  max_per_user_per_stream: null,
  created_at: AT,
  ...change,
});

export const notificationOf = (change: Partial<Schemas["Notification"]> = {}): Schemas["Notification"] => ({
  id: 1,
  user_id: ID,
  type: "follower",
  title: "New follower",
  message: "Ada follows you.",
  is_read: false,
  created_at: AT,
  ...change,
});

export const subscriptionOf = (
  change: Partial<Schemas["ChannelSubscription"]> = {},
): Schemas["ChannelSubscription"] => ({
  id: ID,
  subscriber: ADA,
  channel_user_id: ADA.id,
  channel: ADA,
  tier: 2,
  status: "active",
  is_gift: false,
  started_at: AT,
  renews_at: AT,
  cancelled_at: null,
  ...change,
});

export const raidOf = (change: Partial<Schemas["Raid"]>): RaidUpdate => ({
  raid: {
    id: ID,
    source_user_id: ADA.id,
    target_user_id: WIDE.id,
    source_stream_id: ID,
    target_stream_id: ID,
    viewer_count: 0,
    status: "pending",
    created_at: new Date().toISOString(),
    ...change,
  },
  source_user: ADA,
  target_user: WIDE,
});

export const checkoutOf = (change: Partial<Schemas["Checkout"]>): Schemas["Checkout"] => ({
  id: ID,
  kind: "gift",
  status: "paid",
  channel: ADA,
  gift_to: WIDE,
  tier: 1,
  amount_cents: 499,
  currency: "USD",
  checkout_url: null,
  ...change,
});
