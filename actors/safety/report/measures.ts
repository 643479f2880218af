import type { ClientSession, Db } from "mongodb";
import type { UserEvents } from "../../../contract/wire.ts";
import { EMPTY_PROFILE } from "../../../store/mongo/accounts/empty-profile.ts";
import { usersIn } from "../../../store/mongo/accounts/users.ts";
import { filesIn } from "../../../store/mongo/channels/files.ts";
import { scheduleIn } from "../../../store/mongo/channels/schedule.ts";
import { type StreamDoc, streamsIn, withoutThumbnail } from "../../../store/mongo/channels/streams.ts";
import { chatBansIn, isInForce } from "../../../store/mongo/chat/chat-bans.ts";
import { chatMessagesIn } from "../../../store/mongo/chat/chat-messages.ts";
import {
  type ModerationActionDoc,
  moderationActionsIn,
  STAFF_ACTOR,
} from "../../../store/mongo/chat/moderation-actions.ts";
import { clipsIn } from "../../../store/mongo/live/clips.ts";
import type { MeasureDoc } from "../../../store/mongo/safety/reports.ts";
import type { Banned, StandingChanges } from "../../accounts/public.ts";
import { changeRoom } from "../../channels/public.ts";
import { changeOf, type ModerationChange } from "../../chat/public.ts";
import type { OutboxDraft, RoomRow } from "../../host/outbox-draft.ts";
import type { ReportContext } from "./machine.ts";

/** A decided case and the measure to execute. */
type MeasureContext = {
  caseId: string;
  context: ReportContext;
  measure: MeasureDoc;
  staffId: string;
  outbox: OutboxDraft;
  at: Date;
};

type Warning = UserEvents["moderation.warning"];

/** The writes of each measure, in the transaction of the decision. Each returns the account ban that it led to, or null. */
export function measuresIn(db: Db, standing: StandingChanges) {
  const streams = streamsIn(db);
  const users = usersIn(db);
  const chatBans = chatBansIn(db);
  const messages = chatMessagesIn(db);
  const clips = clipsIn(db);
  const actions = moderationActionsIn(db);
  const files = filesIn(db);
  const schedule = scheduleIn(db);
  const usersByIds = async (ids: string[]) =>
    new Map((await users.findManyPublic(ids)).map((user) => [user._id, user]));

  /** Notifies the user's sockets. For strikes and bans, the facts for notifications are written in account-standing.ts. */
  function notifySockets({ context, measure, outbox }: MeasureContext, about: Partial<Warning> = {}): void {
    outbox.user(context.subjectUserId, "moderation.warning", {
      measure: measure.type,
      reason: measure.reason,
      subject_type: null,
      subject_id: null,
      until: null,
      ...about,
    });
  }

  /** Notifies by all ways, also by mail. */
  function notifyAll(taking: MeasureContext, about: Partial<Warning> = {}): void {
    const { context, measure, outbox, at } = taking;
    const until = about.until == null ? null : new Date(about.until);
    const { id, type, reason } = measure;
    const data = { id, measure: type, reason, until };
    outbox.notify({ kind: "measure", ref: `${type}:${id}`, userId: context.subjectUserId, at, data });
    notifySockets(taking, about);
  }

  const entryOf = (
    { context, measure, at }: MeasureContext,
    stream: StreamDoc,
    action: "timeout" | "delete_message",
  ): ModerationActionDoc => ({
    _id: measure.id,
    streamId: stream._id,
    roomId: stream.roomId,
    actorId: STAFF_ACTOR,
    targetId: context.subjectUserId,
    action,
    reason: measure.reason,
    durationSeconds: measure.durationSeconds,
    createdAt: at,
  });

  async function changeChat(
    streamId: string,
    { outbox }: MeasureContext,
    session: ClientSession,
    write: (stream: StreamDoc) => Promise<ModerationChange | null>,
  ): Promise<void> {
    const changed = await changeRoom({ streamId, streams, session }, async (stream) => {
      const change = await write(stream);
      return change ? changeOf({ actions, usersByIds }, change, session) : { events: [] };
    });
    outbox.include(changed.rows);
  }

  async function removeMessage(
    taking: MeasureContext,
    streamId: string,
    session: ClientSession,
  ): Promise<void> {
    const { targetId: uuid } = taking.context;
    const message = await messages.find(streamId, uuid);
    if (!message) return;
    if (message.deletedAt !== null) return messages.redactAct(message, session);
    await changeChat(streamId, taking, session, async (stream) => {
      await messages.delete(message, taking.at, session);
      return {
        effects: [{ kind: "delete", uuid }],
        events: [{ type: "chat.message_deleted", data: { uuid } }],
        log: [entryOf(taking, stream, "delete_message")],
      };
    });
  }

  async function emptyStream(
    taking: MeasureContext,
    streamId: string,
    session: ClientSession,
  ): Promise<void> {
    const owner = await users.findPublic(taking.context.subjectUserId);
    const shown = { name: owner?.usernameTitle ?? "", tags: [], updatedAt: taking.at };
    const changed = await changeRoom({ streamId, streams, session }, async (stream) => {
      const { categoryId, language, isMature } = stream;
      const event: RoomRow = {
        type: "stream.updated",
        data: {
          stream_id: streamId,
          name: shown.name,
          category_id: categoryId,
          language,
          is_mature: isMature,
          tags: [],
          thumbnail_url: null,
        },
      };
      return { set: { ...shown, ...withoutThumbnail(stream, taking.at) }, events: [event] };
    });
    taking.outbox.include(changed.rows);
    await schedule.removeAll(taking.context.subjectUserId, session);
  }

  /** Drops the files of its pictures, too, since their URLs may be known. */
  async function emptyProfile({ context, at }: MeasureContext, session: ClientSession): Promise<void> {
    await files.dropAll(context.subjectUserId, at, session);
    const change = { $set: { ...EMPTY_PROFILE, updatedAt: at } };
    await users.update(context.subjectUserId, change, { session });
  }

  return {
    async warning(taking: MeasureContext): Promise<null> {
      notifyAll(taking);
      return null;
    },

    async remove_content(taking: MeasureContext, session: ClientSession): Promise<null> {
      const { targetType, streamId } = taking.context;
      if (targetType === "chat_message" && streamId !== null) await removeMessage(taking, streamId, session);
      else if (targetType === "stream" && streamId !== null) await emptyStream(taking, streamId, session);
      else if (targetType === "clip") await clips.remove(taking.context.targetId, { at: taking.at }, session);
      else await emptyProfile(taking, session);
      notifyAll(taking);
      return null;
    },

    /** A timeout in that room. An existing ban or timeout that ends later is kept. */
    async chat_ban(taking: MeasureContext, session: ClientSession): Promise<null> {
      const { context, measure, caseId: reportId, at } = taking;
      const { streamId, durationSeconds } = measure;
      if (streamId === null || durationSeconds === null) throw new Error("a chat ban has a room and a time");
      const userId = context.subjectUserId;
      const until = new Date(at.getTime() + durationSeconds * 1_000);
      const username = (await users.findPublic(userId))?.username ?? "deleted";
      await changeChat(streamId, taking, session, async (stream) => {
        const present = await chatBans.banOf(streamId, userId, session);
        if (present && isInForce(present, until)) return null;
        const ban = { streamId, userId, until, reason: measure.reason, by: STAFF_ACTOR };
        await chatBans.setBan({ ...ban, createdAt: at, reportId }, session);
        return {
          effects: [{ kind: "ban", userId, untilMs: until.getTime() }],
          events: [
            {
              type: "chat.user_timed_out",
              data: { user_id: userId, username, duration_seconds: durationSeconds },
            },
          ],
          log: [entryOf(taking, stream, "timeout")],
        };
      });
      notifyAll(taking, { subject_type: "chat_ban", subject_id: streamId, until: until.toISOString() });
      return null;
    },

    async strike(taking: MeasureContext, session: ClientSession): Promise<Banned | null> {
      const { context, measure, caseId: reportId, staffId: by, at } = taking;
      const { id: strikeId, reason } = measure;
      const given = { strikeId, userId: context.subjectUserId, reason, by, reportId, at };
      const { strike, banned } = await standing.strike(given, session);
      const until = strike.expiresAt.toISOString();
      notifySockets(taking, { subject_type: "strike", subject_id: strikeId, until });
      return banned;
    },

    async account_ban(taking: MeasureContext, session: ClientSession): Promise<Banned | null> {
      const { context, measure, caseId: reportId, staffId: by, at } = taking;
      const { id: banId, reason } = measure;
      return standing.ban({ banId, userId: context.subjectUserId, reason, by, reportId, at }, session);
    },
  } satisfies Record<
    MeasureDoc["type"],
    (taking: MeasureContext, session: ClientSession) => Promise<Banned | null>
  >;
}
