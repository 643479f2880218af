/** The package's public API; anything that isn't exported here may change without notice. */

export type { components, operations } from "./generated/openapi.ts";
export { CLOSE_CODES } from "./generated/sockets.ts";
export { createClient, type LivecoreClient, type LivecoreOptions } from "./livecore-client.ts";
export {
  type ErrorCode,
  type ErrorEnvelope,
  LivecoreError,
  SessionChangedError,
  UnexpectedAnswerError,
} from "./rest/errors.ts";
export { RestClient, type RestOptions } from "./rest/rest-client.ts";
export type { RetryPolicy } from "./rest/retry-policy.ts";
export type { Auth, BearerAuth, CookieAuth, TokenAuth } from "./rest/session.ts";
export type { Tokens } from "./rest/tokens.ts";
export type { Bytes, Input, ItemOf, OperationId, RefusalCode, Result, Success } from "./rest/types.ts";
export { connectLive, LiveClient } from "./sockets/live-client.ts";
export type { CommandMethod, MessageOf, ServerMessage, Topic } from "./sockets/messages.ts";
export type { ConnectionOptions, SocketLike } from "./sockets/options.ts";
export { connectRoom, RoomClient, type RoomClientOptions, type SentMessage } from "./sockets/room-client.ts";
export type { Subscription } from "./sockets/subscription.ts";
