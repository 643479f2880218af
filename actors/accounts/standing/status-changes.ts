import type { ClientSession, Db, Filter, UpdateFilter } from "mongodb";
import { effectiveModes, modesView } from "../../../realtime/rooms/state/modes.ts";
import { type UserDoc, usersIn } from "../../../store/mongo/accounts/users.ts";
import { streamsIn } from "../../../store/mongo/channels/streams.ts";
import { outboxIn } from "../../../store/mongo/host/outbox.ts";
import { outboxDoc } from "../../host/outbox-draft.ts";

/** The source of the events; its versions are those of the account's standing. */
export const roomStandingSource = (userId: string): string => `standing:${userId}`;

/**
 * The only way to change an account's status. It also closes or opens the account's room, in the same transaction: a closed room
 * admits nobody's messages, and those in it see the chat as disabled. The relay publishes that if nobody does so sooner.
 */
export function statusChangesIn(db: Db) {
  const users = usersIn(db);
  const streams = streamsIn(db);
  const outbox = outboxIn(db);

  async function setRoom(
    { _id: userId, standingVersion = 0, status }: Pick<UserDoc, "_id" | "standingVersion" | "status">,
    at: Date,
    session: ClientSession,
  ): Promise<void> {
    const stream = await streams.findByUser(userId, session);
    if (!stream) return;
    const isOpen = status === "active";
    const modes = modesView(effectiveModes(stream.modes));
    const row = outboxDoc(
      {
        actor: roomStandingSource(userId),
        version: standingVersion,
        n: 0,
        target: { room: stream._id },
        type: "chat.modes",
        data: isOpen ? modes : { ...modes, chat_enabled: false },
        effects: [{ kind: "standing", isOpen }],
      },
      at,
    );
    await outbox.insert([row], session);
  }

  return async function changeStatus(
    userId: string,
    change: UpdateFilter<UserDoc>,
    options: { session: ClientSession; expected: Filter<UserDoc>; at: Date },
  ): Promise<UserDoc | null> {
    const user = await users.updateWithStatus(userId, change, options);
    if (user) await setRoom(user, options.at, options.session);
    return user;
  };
}
