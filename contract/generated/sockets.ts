/** Made from the AsyncAPI document by `npm run generate`. */
import type { components } from "./asyncapi.ts";

export const ADDRESSES = {
  chat: "/v1/ws/chat/{stream_id}",
  viewers: "/v1/ws/viewers/{stream_id}",
  user: "/v1/ws/user",
  all: "/v1/ws",
} as const;

export const CLOSE_CODES = {
  normal: 1000,
  goingAway: 1001,
  restart: 1012,
  authRequired: 4001,
  forbidden: 4003,
  slowConsumer: 4008,
  sessionRevoked: 4009,
  rateLimited: 4029,
  badRequest: 4400,
} as const;

/** Of those codes: after them a client comes back. */
export const COME_BACK_AFTER: readonly number[] = [1001, 1012, 4008, 4029];

/** What a personal API token needs to follow a topic. */
export const TOPIC_SCOPES = {
  chat: ["chat:read"],
  viewers: ["channel:read"],
  user: ["user:read","points:read"],
} as const;

/** And for what moderators alone get of a room. */
export const MODERATOR_SCOPES = ["chat:moderate"] as const;

/** What it needs for a command; `topic`: as the topic. */
export const COMMAND_SCOPES = {
  "subscribe": "topic",
  "unsubscribe": "any",
  "chat.send": ["chat:send"],
  "chat.delete": ["chat:moderate"],
  "chat.command": ["chat:moderate"],
  "heartbeat": [],
  "ping": "any",
} as const;

/** `data` of the reply to each command. */
export type CommandResults = {
  "subscribe": components["schemas"]["TopicResult"];
  "unsubscribe": components["schemas"]["TopicResult"];
  "chat.send": components["schemas"]["SendResult"];
  "chat.delete": components["schemas"]["ChatActionResult"];
  "chat.command": components["schemas"]["ChatActionResult"];
  "heartbeat": components["schemas"]["ViewerCount"];
  "ping": components["schemas"]["PingResult"];
};

/** Types of the messages that each topic brings; `connection`: of the socket itself. */
export type TopicMessages = {
  connection: "hello" | "reply" | "error" | "bye" | "subscribed";
  chat: "room.epoch" | "room.standing" | "chat.message" | "chat.message_deleted" | "chat.cleared" | "chat.user_banned" | "chat.user_timed_out" | "chat.pinned" | "chat.unpinned" | "chat.modes" | "chat.poll" | "chat.poll_progress" | "chat.poll_ended" | "chat.config" | "prediction.opened" | "prediction.progress" | "prediction.locked" | "prediction.resolved" | "prediction.cancelled" | "stream.live" | "stream.updated" | "stream.offline" | "raid.pending" | "raid.go" | "raid.incoming" | "raid.cancelled" | "raid.moved" | "host.started" | "host.ended" | "subscription.started" | "subscription.gifted" | "tip.received" | "mod.action" | "redemption.created" | "redemption.updated" | "channel.followed" | "mod.report" | "mod.held" | "mod.unban_request" | "mod.unban_request_resolved" | "mod.marker" | "mod.marker_deleted" | "mod.terms" | "mod.notes" | "mod.badge" | "mod.held_resolved";
  viewers: "stream.live" | "stream.updated" | "stream.offline" | "viewers.count";
  user: "room.epoch" | "stream.ingest" | "overlay.updated" | "overlay.tested" | "points.changed" | "prediction.result" | "points.bonus" | "redemption.updated" | "unban_request.updated" | "chat.held_resolved" | "report.updated" | "moderation.warning" | "appeal.decided" | "chat.mention" | "whisper" | "notification" | "notification.unread";
};

/** Types of the messages beside a room's log, by who in the room gets them. */
export type RoomAudiences = {
  everybody: "room.epoch" | "chat.poll_progress" | "chat.config" | "prediction.progress";
  moderators: "mod.action" | "channel.followed" | "mod.report" | "mod.held" | "mod.unban_request" | "mod.unban_request_resolved" | "mod.marker" | "mod.marker_deleted" | "mod.terms" | "mod.notes" | "mod.badge" | "mod.held_resolved";
  socket: "room.standing" | "raid.moved";
};
