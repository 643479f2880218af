import { computed, effect, signal } from "@preact/signals";
import type { Schemas } from "../site/page-data.ts";
import { problemOf } from "../site/problems.ts";
import { client, userId } from "../site/session.ts";
import { followUser, whenMissed } from "../site/user-topic.ts";

/** No event says that whispers were read: the browser's other tabs hear it here. */
const tabs = new BroadcastChannel("livecore-whispers");

export type Conversation = Schemas["WhisperConversation"];
type Whisper = Schemas["Whisper"];
/** `before`: the cursor of the next page; null if there is none. */
type Listed = { items: readonly Conversation[]; before: string | null };
type Change = (listed: Listed) => Listed;

/** The user's conversations, the latest whisper first; null until they were read. */
export const conversations = signal<Listed | null>(null);
/** Why they couldn't be read; null unless the last try failed. */
export const problem = signal<string | null>(null);
/** With whom a conversation is open in front of the reader, who sees new whispers at once. */
export const inSight = signal<string | null>(null);
export const unreadWhispers = computed(
  () => conversations.value?.items.reduce((sum, { unread_count }) => sum + unread_count, 0) ?? 0,
);

/** Changes since the first page was requested, which may be older than they are; null when no request is pending. */
let changesSince: Change[] | null = null;
/** Whether the request that is pending may come too early for what it was asked for. */
let isWantedAgain = false;

function change(made: Change): void {
  changesSince?.push(made);
  const shown = conversations.peek();
  if (shown) conversations.value = made(shown);
}

/** Reads the first page; what was shown below it stays. */
export async function loadConversations(): Promise<void> {
  if (changesSince) {
    isWantedAgain = true;
    return;
  }
  const id = userId.peek();
  const changes: Change[] = [];
  changesSince = changes;
  isWantedAgain = false;
  try {
    const { items, before_cursor = null } = await client.call("listWhisperConversations");
    // Another user's.
    if (changesSince !== changes || userId.peek() !== id) return;
    changesSince = null;
    const known = new Set(items.map(({ user_id }) => user_id));
    const last = conversations.peek();
    const older =
      before_cursor === null ? [] : (last?.items.filter(({ user_id }) => !known.has(user_id)) ?? []);
    const read: Listed = {
      items: [...items, ...older],
      before: older.length > 0 && last ? last.before : before_cursor,
    };
    conversations.value = changes.reduce((listed, made) => made(listed), read);
    problem.value = null;
  } catch (err) {
    if (changesSince !== changes || userId.peek() !== id) return;
    changesSince = null;
    problem.value = problemOf(err);
  }
  if (isWantedAgain) void loadConversations();
}

/** Reads the next page. Throws what refused it. */
export async function loadOlderConversations(): Promise<void> {
  const id = userId.peek();
  const before = conversations.peek()?.before ?? null;
  if (before === null) return;
  const { items, before_cursor = null } = await client.call("listWhisperConversations", {
    query: { before },
  });
  const shown = conversations.peek();
  if (!shown || userId.peek() !== id) return;
  const known = new Set(shown.items.map(({ user_id }) => user_id));
  const added = items.filter(({ user_id }) => !known.has(user_id));
  conversations.value = { items: [...shown.items, ...added], before: before_cursor };
}

/** The user has read all that the other one wrote so far. Best effort: the next visit says it again. */
export function readConversation(otherId: string): void {
  client.attempt("readWhispers", { path: { user_id: otherId } }).catch(() => undefined);
  showAsRead(otherId);
  tabs.postMessage(otherId);
}

const showAsRead = (otherId: string): void =>
  change((listed) => ({
    ...listed,
    items: listed.items.map((one) => (one.user_id === otherId ? { ...one, unread_count: 0 } : one)),
  }));

/** A block leaves the conversation out of the list. */
export function hideConversation(otherId: string): void {
  change((listed) => ({ ...listed, items: listed.items.filter(({ user_id }) => user_id !== otherId) }));
}

/** Shows a whisper, of either side, as the latest one. */
function take(whisper: Whisper): void {
  const isOwn = whisper.sender_id === userId.peek();
  const otherId = isOwn ? whisper.recipient_id : whisper.sender_id;
  const isRead = isOwn || inSight.peek() === otherId;
  const { content, created_at: timestamp, is_read } = whisper;
  change((listed) => {
    const known = listed.items.find(({ user_id }) => user_id === otherId);
    // The list that was read has it already.
    if (!known || known.last_message.timestamp >= timestamp) return listed;
    const unread_count = isRead ? 0 : known.unread_count + 1;
    const latest: Conversation = { ...known, last_message: { content, timestamp, is_read }, unread_count };
    return { ...listed, items: [latest, ...listed.items.filter((one) => one !== known)] };
  });
  // Of somebody new: the list knows the name.
  if (!conversations.peek()?.items.some(({ user_id }) => user_id === otherId)) void loadConversations();
}

effect(() => {
  const id = userId.value;
  conversations.value = null;
  problem.value = null;
  changesSince = null;
  if (id === null) return;
  return followUser((topic) => [
    ...whenMissed(
      topic,
      () => void loadConversations(),
      () => conversations.peek() !== null,
    ),
    topic.on("whisper", ({ data }) => take(data)),
  ]);
});

tabs.addEventListener("message", ({ data }: MessageEvent<string>) => showAsRead(data));
