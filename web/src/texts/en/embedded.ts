import { chat } from "./chat.ts";
import { signIn } from "./embeds.ts";
import { player } from "./player.ts";

/** What embeds show too: they load no other texts. */
export const embedded = {
  hide: "Hide",
  connecting: "Connecting …",
  reconnecting: "The connection was lost. Reconnecting …",
  gone: "This channel no longer exists.",
  chat,
  player,
  signIn,
};
