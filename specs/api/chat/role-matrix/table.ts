import { REQUESTS } from "../../generated/requests.ts";
import { command, moderators, on, open, owners, type Row, sending, signedIn, socketOnly } from "./rows.ts";

const DELETED: Row["command"] = [
  "chat.delete",
  ({ streamId, message }) => ({ channel: `chat:${streamId}`, uuid: message }),
];
const OWN_DELETED: Row["command"] = [
  "chat.delete",
  ({ streamId, own }) => ({ channel: `chat:${streamId}`, uuid: own }),
];
/** The roles to which modes apply that exempt roles. */
const WITHOUT_ROLE = ["viewer", "firstTime", "follower", "subscriber", "otherModerator", "staff"] as const;
const ALL_WHO_SPEAK = [...WITHOUT_ROLE, "vip", "moderator", "owner"] as const;

const all = <Code extends string>(roles: readonly string[], code: Code) =>
  Object.fromEntries(roles.map((role) => [role, code]));

const NO_FOLLOWERS = ["viewer", "subscriber", "otherModerator", "staff"];
const TIMEOUT = { duration_seconds: 60 };
/** The operations of a room itself. Those of what is in it are with their requests. */
const OF_ROOMS: readonly Row[] = [
  open("getChatRoom"),
  open("listChatMessages"),
  open("getChatModes"),
  open("getChatUser", { request: on("somebody") }),
  open("listModerators"),
  open("listVips"),
  socketOnly("following the room", ["subscribe", ({ streamId }) => ({ channel: `chat:${streamId}` })]),

  moderators("listBans"),
  moderators("listModerationActions"),
  moderators("listChatters"),
  moderators("getChatMember", { request: on("somebody") }),

  sending("as it is", {}),
  sending("for followers", { followers_only: 0 }, all(NO_FOLLOWERS, "followers_only")),
  sending(
    "under shield",
    { shield_mode: true },
    {
      ...all(NO_FOLLOWERS, "followers_only"),
      firstTime: "first_time_chatter",
    },
  ),
  sending(
    "with a link under shield",
    { shield_mode: true },
    {
      ...all(NO_FOLLOWERS, "followers_only"),
      ...all(["follower", "vip"], "held"),
      firstTime: "first_time_chatter",
    },
    { saying: (n) => `https://example.com/${n}` },
  ),
  sending("with a blocked term", {}, all([...WITHOUT_ROLE, "vip"], "blocked_term"), {
    term: { term: "abracadabra", action: "block" },
    saying: (n) => `abracadabra ${n}`,
  }),
  sending("with a term that holds", {}, all([...WITHOUT_ROLE, "vip"], "held"), {
    term: { term: "abracadabra", action: "hold" },
    saying: (n) => `abracadabra ${n}`,
  }),
  sending("of what was sent before", { unique_chat: true }, all(WITHOUT_ROLE, "duplicate_message"), {
    text: (door) => `sent before, by ${door}`,
  }),
  sending("slowly", { slow: 300 }, { ...all(WITHOUT_ROLE, "slow_mode"), firstTime: "success" }),
  sending("by emotes alone", { emote_only: true }, all(ALL_WHO_SPEAK, "emote_only")),
  sending("while it is off", { chat_enabled: false }, all(ALL_WHO_SPEAK, "chat_disabled")),

  moderators("updateChatSettings", { request: () => ({ body: { slow: null } }) }),
  moderators("pinChatMessage", { request: ({ message }) => ({ body: { uuid: message } }) }),
  moderators("unpinChatMessage"),
  moderators("announceInChat", { request: (_named, { text }) => ({ body: { content: text } }) }),
  moderators("timeoutUser", { request: on("somebody", TIMEOUT) }),
  moderators("untimeoutUser", { request: on("somebody") }),
  moderators("banUser", { request: on("somebody") }),
  moderators("unbanUser", { request: on("somebody") }),
  moderators(
    "timeoutUser",
    { title: "timeoutUser of a moderator", request: on("moderator", TIMEOUT) },
    { moderator: "self_target" },
  ),
  moderators(
    "untimeoutUser",
    { title: "untimeoutUser of a moderator", request: on("moderator") },
    {
      moderator: "forbidden",
    },
  ),
  moderators(
    "timeoutUser",
    { title: "timeoutUser of the owner", request: on("owner", TIMEOUT) },
    { moderator: "forbidden", owner: "self_target", staff: "forbidden" },
  ),
  moderators(
    "timeoutUser",
    { title: "timeoutUser of staff", request: on("staff", TIMEOUT) },
    { staff: "self_target" },
  ),
  moderators("untimeoutUser", { title: "untimeoutUser of staff", request: on("staff") }),

  owners("addModerator", { request: on("somebody") }),
  owners("removeModerator", { request: on("somebody") }),
  owners("addVip", { request: on("somebody") }),
  owners("removeVip", { request: on("somebody") }),

  command(moderators, ({ somebody }) => `/timeout ${somebody.username} 5`),
  command(moderators, () => "/slowoff"),
  command(moderators, ({ message }) => `/delete ${message}`),
  command(owners, ({ somebody }) => `/vip ${somebody.username}`),
  command(owners, ({ somebody }) => `/unvip ${somebody.username}`),

  moderators("deleteChatMessage", {
    request: ({ message }) => ({ params: { uuid: message } }),
    command: DELETED,
  }),
  signedIn("deleteChatMessage", {
    title: "deleteChatMessage, the own one",
    request: ({ own }) => ({ params: { uuid: own } }),
    command: OWN_DELETED,
  }),
  moderators("clearChat"),
];

/** Every operation of a room, in the order in which they run; a new operation is a new row. */
export const TABLE: readonly Row[] = [...OF_ROOMS, ...REQUESTS.flatMap(({ rows = [] }) => rows)];
