import type { components as asyncapi } from "./generated/asyncapi.ts";
import type { APIToken } from "./generated/schemas.ts";
import type { CommandResults, RoomAudiences, TopicMessages } from "./generated/sockets.ts";

/**
 * The interface's JSON as types, by the names of docs/interface.md#2-resources: every schema of REST under its name, and what code
 * needs of sockets. All code that sends or reads such JSON uses these types.
 */
export type * from "./generated/schemas.ts";
export type ApiToken = APIToken;

type Sockets = asyncapi["schemas"];

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
