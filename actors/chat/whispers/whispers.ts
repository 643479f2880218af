import type { ClientSession } from "mongodb";
import { invalid, type RateLimit, ServiceError } from "../../../contract/errors.ts";
import { sanitizedText } from "../../../realtime/rooms/text.ts";
import { type UserWithoutSecrets, usersIn } from "../../../store/mongo/accounts/users.ts";
import { blocksIn } from "../../../store/mongo/channels/blocks.ts";
import {
  type ConversationDoc,
  sideOf,
  type WhisperDoc,
  type WhisperDraft,
  whispersIn,
} from "../../../store/mongo/chat/whispers.ts";
import { countersIn } from "../../../store/mongo/driver/counters.ts";
import type { Range } from "../../../store/mongo/driver/page.ts";
import { inRetriedTransaction } from "../../../store/mongo/driver/retried-transaction.ts";
import { windowedCountsIn } from "../../../store/mongo/driver/windowed-counts.ts";
import { createRateLimits } from "../../../store/redis/rate-limits.ts";
import type { FeatureDeps } from "../../features/deps.ts";
import { keyedRequestsIn } from "../../host/keyed-requests.ts";
import { type Conversation, whisperView } from "./view.ts";

/** In addition to the operation's own limit of 100 per minute. */
const BURST: RateLimit = { bucket: "whispers_burst", limit: 3, windowSeconds: 1 };
/** Conversations that a user may begin. */
const NEW_CONVERSATIONS: RateLimit = { bucket: "whisper_recipients", limit: 40, windowSeconds: 86_400 };

/** Messages between two users. A conversation is removed with the account of either. */
export function createWhispers({ mongo, redis, directory, outbox, clock, log }: FeatureDeps) {
  const whispers = whispersIn(mongo.db);
  const blocks = blocksIn(mongo.db);
  const users = usersIn(mongo.db);
  const ids = countersIn(mongo.db);
  const counts = windowedCountsIn(mongo.db);
  const keyed = keyedRequestsIn(mongo.db, clock);
  const limits = createRateLimits({ redis, log, buckets: { whispers: BURST } });

  async function requireOther(userId: string, otherId: string): Promise<UserWithoutSecrets> {
    if (userId === otherId) throw new ServiceError("self_target");
    return directory.requireUser(otherId);
  }

  /** Throws what `send` throws because of the two users. */
  async function requireReachable(senderId: string, recipientId: string): Promise<void> {
    const recipient = await requireOther(senderId, recipientId);
    if (!(await users.authorFacts([senderId])).get(senderId)?.isEmailVerified)
      throw new ServiceError("email_not_verified");
    if (recipient.status === "banned") throw new ServiceError("forbidden");
  }

  async function sendIn(
    { id, senderId, recipientId, content }: Omit<WhisperDraft, "at">,
    at: Date,
    session: ClientSession,
  ): Promise<WhisperDoc> {
    if (!(await blocks.lockIfNeitherBlocks(senderId, recipientId, session)))
      throw new ServiceError("blocked");
    if (!(await whispers.find(senderId, recipientId, session)))
      await counts.take(NEW_CONVERSATIONS, senderId, at, session);
    const doc = await whispers.add({ id, senderId, recipientId, content, at }, session);
    const data = whisperView(doc, false);
    await outbox.write(
      [recipientId, senderId].map((user, n) => ({
        actor: sourceOf(doc),
        version: doc.seq,
        n,
        target: { user },
        type: "whisper" as const,
        data,
      })),
      session,
    );
    return doc;
  }

  return {
    /**
     * Throws `self_target`, `not_found`, `forbidden` for an account that is banned, `email_not_verified`, `blocked`,
     * `validation_failed` (`path`: where the request has the text), `rate_limited`, `idempotency_conflict`.
     */
    async send(
      senderId: string,
      recipientId: string,
      { text, path, key = null }: { text: string; path: string; key?: string | null },
    ): Promise<WhisperDoc> {
      const spoken = sanitizedText(text);
      if (!spoken.ok) throw invalid({ path, ...spoken.problem });
      const { content } = spoken;
      // A transaction that is tried again counts once.
      let counted: Promise<unknown> | null = null;
      const request = { by: senderId, operation: "whisper", key, request: { recipientId, content } };
      const sent = await inRetriedTransaction(mongo.client, (session) =>
        keyed.once(request, session, {
          // In here, though it isn't the transaction's, since a retry under a key gets its answer whatever became of the two meanwhile.
          async act(at) {
            await requireReachable(senderId, recipientId);
            counted ??= limits.take("whispers", senderId);
            await counted;
            const id = await ids.take("whispers");
            return sendIn({ id, senderId, recipientId, content }, at, session);
          },
          answerOf: (doc) => doc._id,
          again: (sentId) => whispers.sent(sentId, session),
        }),
      );
      outbox.publishSoon(sourceOf(sent));
      return sent;
    },

    /** Marks all messages of the other user as read; ignored without a conversation. Throws `self_target`, `not_found`. */
    async read(userId: string, otherId: string): Promise<void> {
      await requireOther(userId, otherId);
      await whispers.read(userId, otherId);
    },

    /** Leaves out conversations with users whom the reader blocks. */
    async inbox(userId: string, range: Range) {
      const { items, ...page } = await whispers.inboxOf(userId, range);
      const idOfOther = ({ users: [first, second] }: ConversationDoc) => (first === userId ? second : first);
      const others = await directory.usersByIds(items.map(idOfOther));
      const found = items.flatMap((doc): Conversation[] => {
        const other = others.get(idOfOther(doc));
        // A deleted account isn't shown while it can still be restored; erasing it removes the conversation.
        if (!other || other.status === "deleted") return [];
        const unread = doc[sideOf(doc, userId)].count;
        return [{ other, last: doc.last, at: doc.lastAt, isLastRead: isRead(doc, doc.last), unread }];
      });
      return { ...page, items: found };
    },

    /** The messages between two users, the newest first. Throws `self_target`, `not_found`. */
    async page(userId: string, otherId: string, range: Range) {
      await requireOther(userId, otherId);
      const [{ items, ...page }, conversation] = await Promise.all([
        whispers.pageOf(userId, otherId, range),
        whispers.find(userId, otherId),
      ]);
      const seen = items.map((doc) => ({ doc, isRead: conversation !== null && isRead(conversation, doc) }));
      return { ...page, items: seen };
    },
  };
}

const sourceOf = ({ conversationId }: Pick<WhisperDoc, "conversationId">) => `whispers:${conversationId}`;

/** Whether the recipient has read a message. */
function isRead(
  conversation: ConversationDoc,
  { senderId, seq }: Pick<WhisperDoc, "senderId" | "seq">,
): boolean {
  const reader = conversation[sideOf(conversation, senderId) === "first" ? "second" : "first"];
  return seq <= reader.readUpTo;
}
