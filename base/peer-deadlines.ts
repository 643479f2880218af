/**
 * How long one use of another service may take, in ms, from connecting to the last byte: a peer whose packets are dropped holds
 * up no more than that. `docs/silent-peers.md` says what happens then. MongoDB's are beside its driver (store/mongo).
 */
export const PEER_DEADLINES_MS = {
  /** A command of a request, so that with a Redis that hangs, chat refuses a message within 250 ms in total. */
  redisCommand: 150,
  /** A connection on which Redis answers nothing for so long is closed and opened again. */
  redisSilence: 2_000,
  /** The same for queues, whose commands wait: longer than BullMQ blocks (10 s). */
  redisQueueSilence: 15_000,
  /** One try of a mail, in whatever pace the server answers. */
  smtp: 40_000,
  /** One try at a push service, access token included. */
  push: 10_000,
  /** One request to the file store, with its retry. */
  s3: 5_000,
  /** One request to a provider. */
  oauthRequest: 5_000,
  /** All requests of one sign-in by a provider: discovery, token, keys, userinfo. */
  oauthSignIn: 8_000,
  /** Dropping one publisher at the RTMP server. */
  rtmpControl: 3_000,
  /** One request to the media service. */
  mediaService: 5_000,
  /** One attempt at the payment platform; what opens a checkout waits for one, each request of a call in the background for two. */
  payment: 10_000,
} as const;
