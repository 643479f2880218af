import { newId } from "../../../base/ids.ts";
import { ServiceError } from "../../../contract/errors.ts";
import type { MemberNote } from "../../../contract/wire.ts";
import type { StreamDoc } from "../../../store/mongo/channels/streams.ts";
import type { MemberNoteDoc, memberNotesIn } from "../../../store/mongo/chat/member-notes.ts";
import type { Range } from "../../../store/mongo/driver/page.ts";
import { summaryOf } from "../../accounts/public.ts";
import type { keyedRequestsIn } from "../../host/keyed-requests.ts";
import type { UsersByIds } from "./action-view.ts";
import { type ModerationChange, type ModerationLog, ROOM_RULE } from "./moderation-log.ts";
import type { TargetedAction } from "./roles-and-bans.ts";

/** About one user in one channel. */
const MAX_NOTES = 100;

type Deps = {
  moderationLog: ModerationLog;
  notes: ReturnType<typeof memberNotesIn>;
  keyed: ReturnType<typeof keyedRequestsIn>;
  usersByIds: UsersByIds;
  /** Throws `not_found` for an unknown user. */
  requireUser(userId: string): Promise<unknown>;
};

/** Notes of a channel's moderators about a user. They do nothing to anybody, so they aren't in the moderation log. */
export function createMemberNotes({ moderationLog, notes, keyed, usersByIds, requireUser }: Deps) {
  async function viewsOf(docs: readonly MemberNoteDoc[]): Promise<MemberNote[]> {
    const users = await usersByIds([...new Set(docs.map(({ authorId }) => authorId))]);
    return docs.map(({ _id, authorId, text, createdAt }) => ({
      id: _id,
      author: summaryOf(authorId, users.get(authorId)),
      text,
      created_at: createdAt.toISOString(),
    }));
  }

  return {
    /** Newest first. Throws `not_found` for an unknown user, and `forbidden` for a moderator's own. */
    async notePage({ _id: streamId, userId: ownerId }: StreamDoc, userId: string, by: string, range: Range) {
      await requireUser(userId);
      requireOther(userId, by, ownerId);
      const { items, ...page } = await notes.page(streamId, userId, range);
      return { ...page, items: await viewsOf(items) };
    },

    /** Throws `not_found`, `limit_reached`, `idempotency_conflict`, and `forbidden` for a moderator's own. */
    async addNote(action: TargetedAction, text: string, key: string | null): Promise<MemberNote> {
      const { streamId, targetId: userId, by: authorId } = action;
      await requireUser(userId);
      const request = { streamId, userId, text };
      // A transaction may run more than once: the result of the last run, which is the one committed, counts.
      const lastRun: MemberNoteDoc[] = [];
      await moderationLog.record(action, ROOM_RULE, async (stream, session) => {
        requireOther(userId, authorId, stream.userId);
        let isNew = false;
        lastRun[0] = await keyed.once({ by: authorId, operation: "member-note.add", key, request }, session, {
          async act(createdAt) {
            if ((await notes.count(streamId, userId, session)) >= MAX_NOTES)
              throw new ServiceError("limit_reached", { limit: MAX_NOTES });
            const doc = { _id: newId(), streamId, userId, authorId, text, createdAt };
            await notes.insert(doc, session);
            isNew = true;
            return doc;
          },
          answerOf: ({ _id }) => _id,
          again: (id) => notes.find(streamId, userId, id, session),
        });
        return isNew ? changeOf(userId) : null;
      });
      const [view] = await viewsOf(lastRun);
      if (!view) throw new Error("a note that was added has a view");
      return view;
    },

    /** Throws `not_found`, and `forbidden` unless it is the author, or the channel's owner. */
    async deleteNote(action: TargetedAction, id: string): Promise<void> {
      const { streamId, targetId: userId, by } = action;
      await moderationLog.record(action, ROOM_RULE, async (stream, session) => {
        const note = await notes.find(streamId, userId, id, session);
        if (!note) throw new ServiceError("not_found");
        if (note.authorId !== by && stream.userId !== by) throw new ServiceError("forbidden");
        await notes.delete(id, session);
        return changeOf(userId);
      });
    },
  };
}

/** What moderators note about each other isn't for the one whom it is about. Owners may: they read all that is noted in their channel. */
function requireOther(userId: string, by: string, ownerId: string): void {
  if (userId === by && by !== ownerId) throw new ServiceError("forbidden");
}

/** Moderators read them again: what changed isn't part of it. */
const changeOf = (userId: string): ModerationChange => ({
  effects: [],
  events: [{ type: "mod.notes", data: { user_id: userId } }],
  log: [],
});
