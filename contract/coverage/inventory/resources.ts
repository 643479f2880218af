/**
 * The resources of the interface's core (docs/interface.md#2-resources) with their fields, those of nested objects by their
 * path.
 */
const words = (text: string): string[] => text.split(/\s+/).filter((word) => word !== "");

export const RESOURCES: { name: string; fields: string[] }[] = [
  { name: "SocialLinks", fields: words("instagram twitter facebook discord tiktok youtube website") },
  {
    name: "SEOTags",
    fields: words("title description keywords location category language country city last_modified"),
  },
  { name: "UserSummary", fields: words("id username username_title image_url") },
  {
    name: "User",
    fields: words(
      "id username username_title email email_verified image_url banner_url bio is_verified status social_links seo_tags created_at updated_at",
    ),
  },
  {
    name: "PublicProfile",
    fields: words(
      "id username username_title image_url banner_url bio is_verified social_links seo_tags follower_count is_following stream",
    ),
  },
  { name: "Device", fields: words("id device_token device_type notifications_enabled last_active") },
  {
    name: "Stream",
    fields: words(
      "id user_id name thumbnail_url category_id is_live realtime_viewer_count ingress_id media_stream_id server_url stream_key ingress_pull_url is_chat_enabled is_chat_followers_only chat_slow_mode chat_slow_mode_seconds chat_emote_only chat_followers_only_minutes chat_unique_chat chat_shield_mode language is_mature tags created_at updated_at",
    ),
  },
  {
    name: "StreamSummary",
    fields: words(
      "id name thumbnail_url is_live realtime_viewer_count is_chat_enabled is_chat_followers_only category",
    ),
  },
  {
    name: "StreamCard",
    fields: words(
      "id name thumbnail_url is_live realtime_viewer_count updated_at user category language is_mature tags",
    ),
  },
  {
    name: "PlaybackSource",
    fields: words("stream_id manifest_url protocol expires_at live_since qualities"),
  },
  {
    name: "StreamQuality",
    fields: words("id stream_id label width height fps bitrate url is_default status"),
  },
  { name: "CategorySummary", fields: words("id name") },
  { name: "Category", fields: words("id name cover_image parent_id tags live_viewer_count") },
  { name: "ViewerHeartbeatRequest", fields: words("stream_id device_id") },
  { name: "ViewerCount", fields: words("viewer_count") },
  {
    name: "Clip",
    fields: words(
      "id stream_id user_id title description video_url thumbnail_url duration start_time end_time visibility views_count likes_count status streamer liked created_at updated_at",
    ),
  },
  {
    name: "Video",
    fields: words(
      "id user_id stream_id media_recording_id title thumbnail_url duration_seconds view_count visibility is_mature streamer published_at created_at",
    ),
  },
  {
    name: "Follow",
    fields: words("id follower_id following_id created_at following following.stream"),
  },
  { name: "Notification", fields: words("id user_id type title message link image_url is_read created_at") },
  {
    name: "NotificationPreferences",
    fields: words(
      "stream_live mentions followers raids clips subscriptions donations quiet_hours_start quiet_hours_end email_enabled push_enabled",
    ),
  },
  {
    name: "Raid",
    fields: words(
      "id source_user_id target_user_id source_stream_id target_stream_id viewer_count status message started_at completed_at created_at",
    ),
  },
  { name: "HostUserSummary", fields: words("id username avatar_url") },
  { name: "HostInfo", fields: words("id target_user is_auto_host viewer_count started_at") },
  {
    name: "ChatMessage",
    fields: words(
      "uuid user_id username room_id content type timestamp is_deleted reply_to_id reply_to_user created_at",
    ),
  },
  { name: "ChatBlockedTerm", fields: words("id channel_id term is_regex action created_by created_at") },
  { name: "HeldMessage", fields: words("id user_id username content matched_term timestamp") },
  { name: "ChatActionResult", fields: words("success") },
  {
    name: "ChatSettingsResult",
    fields: words("success message saved_to_db saved_to_redis broadcast_sent connections"),
  },
  { name: "ChatModes", fields: words("chat_enabled slow emote_only followers_only unique_chat shield_mode") },
  { name: "ChatEmote", fields: words("id name url start_pos end_pos is_global") },
  { name: "ChatPollOption", fields: words("id text order") },
  { name: "ChatPoll", fields: words("id question options created_at ends_at duration_sec creator_id") },
  { name: "ChatBadge", fields: words("id name image_url color type channel_id created_at") },
  { name: "UserBadge", fields: words("id user_id badge_id granted_at expires_at badge") },
  { name: "RoomMember", fields: words("id username") },
  { name: "Whisper", fields: words("id sender_id recipient_id content is_read created_at") },
  {
    name: "WhisperConversation",
    fields: words(
      "user_id username avatar_url last_message last_message.content last_message.timestamp last_message.is_read unread_count",
    ),
  },
  {
    name: "AuthResult",
    fields: words("access_token refresh_token device_id user requires_2fa two_factor_token"),
  },
  { name: "WSTicket", fields: words("ticket expires_in") },
  { name: "APIToken", fields: words("id name prefix token last_used_at created_at") },
  { name: "TwoFactorSetup", fields: words("secret otpauth_url recovery_codes") },
  {
    name: "ChannelSubscription",
    fields: words(
      "id subscriber channel_user_id channel tier status is_gift started_at renews_at cancelled_at",
    ),
  },
  { name: "CheckoutSession", fields: words("checkout_url client_secret provider expires_at") },
  { name: "Tip", fields: words("id from_user to_user_id amount_cents currency message status created_at") },
  { name: "PointsBalance", fields: words("channel_user_id balance lifetime_earned") },
  {
    name: "ChannelReward",
    fields: words(
      "id channel_user_id title description cost is_enabled requires_input cooldown_seconds created_at",
    ),
  },
  { name: "Redemption", fields: words("id reward redeemer user_input status created_at") },
  {
    name: "ScheduleEntry",
    fields: words(
      "id user_id title category_id starts_at ends_at is_recurring recurrence_weekday created_at",
    ),
  },
  { name: "PredictionOutcome", fields: words("id title color points_pool bettor_count") },
  {
    name: "Prediction",
    fields: words("id stream_id title status locks_at resolved_outcome_id outcomes created_at"),
  },
  {
    name: "ModerationAction",
    fields: words("id room_id actor target action reason duration_seconds created_at"),
  },
  {
    name: "Report",
    fields: words("id reporter target_type target_id reason_code details status created_at"),
  },
  {
    name: "CreatorAnalytics",
    fields: [
      "period",
      ...words("subscription_cents tip_cents total_cents by_tier by_tier.tier").map(
        (name) => `revenue.${name}`,
      ),
      ...words("active_count revenue_cents").map((name) => `revenue.by_tier.${name}`),
      ...words("active new_in_period cancelled_in_period churn_rate").map((name) => `subscriptions.${name}`),
      ...words("earned spent top_redemptions").map((name) => `points.${name}`),
      ...words("reward_title count").map((name) => `points.top_redemptions.${name}`),
      ...words("gained lost net").map((name) => `follows.${name}`),
      ...words("total_views count").map((name) => `videos.${name}`),
      ...words("peak_viewers unique_viewers watch_time_minutes source").map((name) => `viewership.${name}`),
    ],
  },
  { name: "SearchResults", fields: words("streams users categories clips") },
  {
    name: "PaginationMeta",
    fields: words("page per_page total has_more items"),
  },
  { name: "ErrorEnvelope", fields: words("code message details") },
];
