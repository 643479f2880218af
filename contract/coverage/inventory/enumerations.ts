/** The enumerations of the interface's core (docs/interface.md#3-states), each at every resource's field that has them. */
const words = (text: string): string[] => text.split(/\s+/).filter((word) => word !== "");

export const ENUMERATIONS: { name: string; values: string[]; at: string[] }[] = [
  { name: "UserStatus", values: words("active banned deleted"), at: ["User.status"] },
  {
    name: "ClipVisibility / VideoVisibility",
    values: words("public unlisted private"),
    at: ["Clip.visibility", "Video.visibility"],
  },
  {
    name: "ClipStatus / QualityStatus",
    values: words("processing ready failed"),
    at: ["Clip.status", "StreamQuality.status"],
  },
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
