// A chat bot on a socket: it answers `!hello` and thanks new followers. examples/README.md says what it needs.
import { setTimeout as pause } from "node:timers/promises";
import { WebSocket } from "ws"; // Node from 22 on has its own.
import { createClient, LivecoreError } from "../../clients/typescript/src/index.ts"; // "@livecore/client" in a project of your own

const {
  LIVECORE_URL: baseUrl = "http://localhost:8080",
  LIVECORE_TOKEN: token,
  CHANNEL: username,
} = process.env;
if (!token || !username) throw new Error("Set LIVECORE_TOKEN and CHANNEL.");

const client = createClient({ baseUrl, WebSocket, auth: { mode: "token", token } });
const stream = await streamOf(username);

// One socket, which reconnects by itself and misses no message meanwhile.
const live = client.live();
const room = live.subscribe(`chat:${stream.id}`);

room.on("subscribed", () => console.log(`In the room of ${username}.`));
room.on("chat.message", ({ data: { uuid, username: author, content, badges } }) => {
  // Never answer programs, this one included: two bots would answer each other without end.
  if (badges.includes("bot")) return;
  if (content.trim().toLowerCase() === "!hello") say(`Hello, ${author}!`, uuid);
});
room.on("channel.followed", ({ data: { user } }) => {
  say(`Thank you for following, ${user.username_title ?? user.username}!`);
});
room.onRefused = (refusal) => console.error("The room refused:", refusal);

/** Repeats while the service has an error or can't be reached, as the socket does later on. */
async function streamOf(username: string) {
  for (let boundMs = 1_000; ; boundMs = Math.min(2 * boundMs, 30_000)) {
    try {
      return (await client.call("getPublicProfile", { path: { username } })).stream;
    } catch (err) {
      if (err instanceof LivecoreError && err.status !== null && err.status < 500) throw err;
      console.error(String(err));
      await pause((boundMs * (1 + Math.random())) / 2);
    }
  }
}

/** A refusal (slow mode, a blocked term) is no reason to end. */
function say(text: string, replyToId?: string): void {
  live
    .say(stream.id, text, replyToId ? { replyToId } : {})
    .catch((err: unknown) => console.error("Not sent:", err));
}

process.once("SIGINT", () => live.close());
process.once("SIGTERM", () => live.close());
