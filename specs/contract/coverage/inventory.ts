/**
 * What the given interface (2.9.0) names, as data: the coverage table is made by looking each entry up in
 * the OpenAPI and AsyncAPI documents and in the specs. Fields are as the interface lists them.
 */
const words = (text: string): string[] => text.split(/\s+/).filter((word) => word !== "");

/** Resource → its fields; `schema` names the OpenAPI schema when it differs. */
export const RESOURCES: { name: string; schema?: string; fields: string[] }[] = [
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
    schema: "OwnerStream",
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
  { name: "Follow", fields: words("id follower_id following_id created_at following") },
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
  { name: "WhisperConversation", fields: words("user_id username avatar_url last_message unread_count") },
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
    fields: words("period revenue subscriptions points follows videos viewership"),
  },
  { name: "SearchResults", fields: words("streams users categories clips") },
  {
    name: "PaginationMeta",
    schema: "PaginatedStreamCard",
    fields: words("page per_page total has_more items"),
  },
  { name: "ErrorEnvelope", schema: "Error", fields: words("code message details") },
];

/** Enumeration → its values; `path` is "Schema.field" where the document carries them. */
export const ENUMERATIONS: { name: string; values: string[]; at: string[] }[] = [
  { name: "UserStatus", values: words("active banned deleted"), at: ["User.status"] },
  {
    name: "ClipVisibility / VideoVisibility",
    values: words("public unlisted private"),
    at: ["Clip.visibility"],
  },
  { name: "ClipStatus / QualityStatus", values: words("processing ready failed"), at: ["Clip.status"] },
  { name: "RaidStatus", values: words("pending active completed cancelled"), at: ["Raid.status"] },
  {
    name: "NotificationType",
    values: words("stream_live mention follower raid clip subscription donation"),
    at: ["Notification.type"],
  },
  {
    name: "SubscriptionStatus",
    values: words("active past_due cancelled expired"),
    at: ["ChannelSubscription.status"],
  },
  { name: "TipStatus", values: words("pending completed refunded"), at: ["Tip.status"] },
  { name: "RedemptionStatus", values: words("pending fulfilled refunded"), at: ["Redemption.status"] },
  { name: "PredictionStatus", values: words("active locked resolved cancelled"), at: ["Prediction.status"] },
  {
    name: "ModerationActionType",
    values: words(
      "ban unban timeout untimeout mod unmod vip unvip clear delete_message slow_on slow_off emote_only_on emote_only_off followers_only_on followers_only_off shield_on shield_off",
    ),
    at: ["ModerationAction.action"],
  },
  { name: "ReportTargetType", values: words("user stream clip chat_message"), at: ["Report.target_type"] },
  {
    name: "ReportReasonCode",
    values: words("spam harassment hate sexual_content violence self_harm illegal other"),
    at: ["Report.reason_code"],
  },
  { name: "ReportStatus", values: words("open reviewing actioned dismissed"), at: ["Report.status"] },
  { name: "Playback protocol", values: words("hls ll-hls"), at: ["PlaybackSource.protocol"] },
  { name: "Subscription tier", values: words("1 2 3"), at: ["ChannelSubscription.tier"] },
  { name: "Analytics period", values: words("7d 30d 90d"), at: ["CreatorAnalytics.period"] },
  { name: "Device type", values: words("ios android"), at: ["Device.device_type"] },
  { name: "Badge type", values: words("global channel special"), at: ["ChatBadge.type"] },
  {
    name: "Blocked-term action",
    values: words("block hold allow block_links verified_only"),
    at: ["ChatBlockedTerm.action"],
  },
  { name: "Payment provider", values: words("stripe"), at: ["CheckoutSession.provider"] },
];

/** Endpoints that the interface lists by path. */
export const ENDPOINTS: [methods: string, path: string][] = [
  ["GET", "/healthz"],
  ["GET", "/v1/app/min-version"],
  ["POST", "/v1/auth/ws-ticket"],
  ["POST", "/v1/auth/2fa"],
  ["GET POST", "/v1/auth/tokens"],
  ["GET POST", "/v1/tokens"],
  ["GET", "/v1/users/me/subscriptions"],
  ["POST", "/v1/users/me/2fa/totp/verify"],
  ["POST", "/v1/webhooks/billing"],
  ["GET POST", "/v1/bot/messages"],
  ["POST", "/v1/support"],
  ["POST", "/v1/appeals"],
  ["GET DELETE", "/v1/users/me/sessions"],
  ["GET", "/v1/users/me/export"],
  ["GET", "/v1/admin/reports"],
  ["GET", "/v1/admin/appeals"],
  ["GET", "/v1/admin/users/{id}/strikes"],
];

/** What the interface says happens, and the words by which the AsyncAPI document or an operation shows it. */
export const EVENTS: [what: string, shownBy: string][] = [
  ["Chat in real time over a WebSocket, as ChatMessage", "chat.message"],
  ["A chat settings toggle told to the room's sockets", "chat.modes"],
  ["Realtime viewer counts over a WebSocket", "viewers.count"],
  ["Stream events under the viewers area", "stream.live"],
  ["Viewer heartbeat", "heartbeat"],
  ["Inbound ingest (RTMP) hooks", "ingestPublish"],
  ["Inbound media-service webhooks", "mediaWebhook"],
  ["Inbound billing webhook", "billingWebhook"],
];

export const ERROR_CODES: [status: number, code: string][] = [
  [400, "validation_failed"],
  [401, "auth_required"],
  [403, "forbidden"],
  [404, "not_found"],
  [409, "username_taken"],
  [429, "rate_limited"],
  [500, "internal"],
];

/** Limits, with a pattern that the document or the sources of the contract must hold. */
export const LIMITS: [what: string, shownBy: RegExp][] = [
  ["per_page 1..100, default 24", /"per_page"[^}]*?"minimum":1,"maximum":100,"default":24/],
  ["page min 1, default 1", /"page"[^}]*?"minimum":1[^}]*?"default":1/],
  ["Stream.tags at most 10", /"tags":\{[^}]*?"maxItems":10/],
  ["Whisper.content at most 500", /"Whisper":/],
  ["WS ticket about 30 s, single use", /createWsTicket/],
  ["Slow mode 30 s by default", /chat_slow_mode_seconds/],
  ["Rate limiting with Retry-After", /"Retry-After"/],
  ["Recurrence weekday 0..6", /recurrence_weekday/],
];
