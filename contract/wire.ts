import type { components as asyncapi } from "./generated/asyncapi.ts";
import type { components as openapi } from "./generated/openapi.ts";
import type { CommandResults, RoomAudiences, TopicMessages } from "./generated/sockets.ts";

/**
 * The interface's JSON as types, by the names of docs/interface.md#2-resources. All of them are generated from the OpenAPI and
 * AsyncAPI documents; all code that sends or reads such JSON uses these types.
 */

type Rest = openapi["schemas"];
type Sockets = asyncapi["schemas"];

export type AccountBan = Rest["AccountBan"];
export type ApiToken = Rest["APIToken"];
export type Appeal = Rest["Appeal"];
export type Bet = Rest["Bet"];
export type Category = Rest["Category"];
export type CategoryUpdate = Rest["CategoryUpdate"];
export type CategorySummary = Rest["CategorySummary"];
export type ChannelSubscription = Rest["ChannelSubscription"];
export type ChatHistory = Rest["ChatHistory"];
/** `content` is empty when deleted. */
export type ChatMessage = Rest["ChatMessage"];
export type ChatBadge = Rest["ChatBadge"];
export type ChatEmote = Rest["ChatEmote"];
export type ChatBlockedTerm = Rest["ChatBlockedTerm"];
export type UserBadge = Rest["UserBadge"];
export type HeldMessage = Rest["HeldMessage"];
export type ChatModes = Rest["ChatModes"];
export type ChatPoll = Rest["ChatPoll"];
export type ChatRestriction = Rest["ChatRestriction"];
export type ChatSettingsResult = Rest["ChatSettingsResult"];
export type ChatSettingsUpdate = Rest["ChatSettingsUpdate"];
export type Clip = Rest["Clip"];
export type CheckoutSession = Rest["CheckoutSession"];
export type Device = Rest["Device"];
export type DeviceUpdate = Rest["DeviceUpdate"];
export type NewDevice = Rest["NewDevice"];

export type EdgeConfig = Rest["EdgeConfig"];
export type Follow = Rest["Follow"];
export type HostInfo = Rest["HostInfo"];
export type IngestConfig = Rest["IngestConfig"];
export type JsonWebKeySet = Rest["JsonWebKeySet"];
export type LinkedProvider = Rest["LinkedProvider"];
export type Notification = Rest["Notification"];
export type NotificationPreferences = Rest["NotificationPreferences"];
export type NotificationPreferencesUpdate = Rest["NotificationPreferencesUpdate"];
export type NewScheduleEntry = Rest["NewScheduleEntry"];
export type SeoPage = Rest["SeoPage"];
export type ScheduleEntry = Rest["ScheduleEntry"];
export type ScheduleEntryUpdate = Rest["ScheduleEntryUpdate"];
export type NewMeasure = Rest["NewMeasure"];
export type NewSupportRequest = Rest["NewSupportRequest"];
export type OwnerStream = Rest["OwnerStream"];
export type PlaybackSource = Rest["PlaybackSource"];
export type ChannelReward = Rest["ChannelReward"];
export type DecidedRedemption = Rest["DecidedRedemption"];
export type NewReward = Rest["NewReward"];
export type OauthCode = Rest["OauthCode"];
export type OauthPost = Rest["OauthPost"];
export type Redemption = Rest["Redemption"];
export type RewardUpdate = Rest["RewardUpdate"];

export type PointsBalance = Rest["PointsBalance"];
export type PointsEntry = Rest["PointsEntry"];
export type Prediction = Rest["Prediction"];
export type PublicProfile = Rest["PublicProfile"];
export type Report = Rest["Report"];
export type ReportCase = Rest["ReportCase"];
export type ReportHandling = Rest["ReportHandling"];
export type Raid = Rest["Raid"];
export type RaidSettings = Rest["RaidSettings"];
export type RoomMember = Rest["RoomMember"];
export type Session = Rest["Session"];
export type StaffAppeal = Rest["StaffAppeal"];
export type StaffModerationAction = Rest["StaffModerationAction"];
export type StaffSupportRequest = Rest["StaffSupportRequest"];
export type StaffUser = Rest["StaffUser"];
export type Stream = Rest["Stream"];
export type StreamCard = Rest["StreamCard"];
export type StreamSummary = Rest["StreamSummary"];
export type StreamUpdate = Rest["StreamUpdate"];
export type Strike = Rest["Strike"];
export type SupportRequest = Rest["SupportRequest"];
export type Tip = Rest["Tip"];
export type User = Rest["User"];
export type Video = Rest["Video"];
export type UserSummary = Rest["UserSummary"];
export type UserUpdate = Rest["UserUpdate"];
export type Whisper = Rest["Whisper"];
export type WhisperConversation = Rest["WhisperConversation"];

export type CreatorAnalytics = Rest["CreatorAnalytics"];
export type ChatPin = Rest["ChatPin"];
export type ModerationAction = Rest["ModerationAction"];
export type RaidUpdate = Sockets["RaidUpdate"];

/** The state of a subscription, or parts of it. */
export type SubscriptionState = Sockets["SubscriptionState"];

export type CommandId = Sockets["CommandId"];
export type CommandMethod = Sockets["Command"]["method"];
export type CommandParams<Method extends CommandMethod> = Exclude<
  Extract<Sockets["Command"], { method: Method }>["params"],
  undefined
>;
/** `data` of the reply. */
export type CommandResult<Method extends CommandMethod> = CommandResults[Method];
/** A command as handlers get it: one without params has empty ones. */
export type Command = {
  [Method in CommandMethod]: { id: CommandId; method: Method; params: CommandParams<Method> };
}[CommandMethod];

/** One message of the server, of any kind that the document has. */
type KnownMessage = Sockets["ServerMessage"];
type MessageType = KnownMessage["type"];
type MessageOf<Type extends MessageType> = Extract<KnownMessage, { type: Type }>;
/** Messages that have only `data` beside their topic. */
export type DataMessageType = Exclude<MessageType, "reply">;
export type DataOf<Type extends DataMessageType> = MessageOf<Type>["data"];

type DataByType<Type extends DataMessageType> = { [Name in Type]: DataOf<Name> };

type ChatTopicType = TopicMessages["chat"];
type LoggedType = {
  [Type in ChatTopicType]: "seq" extends keyof MessageOf<Type> ? Type : never;
}[ChatTopicType];

/** Events of a room's log: the name of each with its data. */
export type RoomEvents = DataByType<LoggedType>;
/** Events that a room's moderators alone get, beside its log. */
export type ModeratorEvents = DataByType<RoomAudiences["moderators"]>;
/** Events for everybody in a room, beside its log. */
export type RoomNotices = DataByType<"chat.config">;
/** Events for one user's own sockets. */
export type UserEvents = DataByType<Exclude<TopicMessages["user"], "room.epoch">>;

/** One event of such a map, any of them. */
export type EventOf<Events> = { [Type in keyof Events]: { type: Type; data: Events[Type] } }[keyof Events];
