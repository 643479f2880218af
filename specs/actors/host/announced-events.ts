import { expect } from "chai";
import type { Db } from "mongodb";
import type { RoomEvent } from "../../../actors/host/outbox.ts";
import type { HistoryDoc } from "../../../store/mongo/host/history.ts";
import { historiesIn } from "./histories.ts";
import type { PublishedEvents } from "./published-events.ts";
import type { Subject } from "./subject.ts";
import { subjectOf } from "./subjects.ts";

type Announces = NonNullable<Subject["announces"]>;

/**
 * Checks the room events of these actors, or of all, against their histories: a reader that drops events that aren't newer gets
 * every change once and in order.
 */
export async function expectRoomEventsInOrder(
  db: Db,
  { room }: PublishedEvents,
  actors?: string[],
): Promise<number> {
  const histories = await historiesIn(db, actors);
  const read = new Map<string, RoomEvent[]>();
  for (const event of room) {
    const { ref, version, n } = event.actor;
    const events = read.get(ref) ?? [];
    const last = events.at(-1)?.actor;
    const isNewer = !last || version > last.version || (version === last.version && n > last.n);
    if (isNewer) read.set(ref, [...events, event]);
  }
  let events = 0;
  for (const [actor, history] of histories) {
    const { announces } = subjectOf(actor.split(":")[0] ?? actor);
    if (!announces) continue;
    const due = history.flatMap((change) => announced(change, announces));
    const had = (read.get(actor) ?? []).map(({ actor: { version }, type }) => `${version} ${type}`);
    expect(had, `what the room read of ${actor}`).deep.equal(due);
    events += due.length;
  }
  return events;
}

/** The room events that a change of state makes, as a reader of the room has them. */
function announced({ version, event, from, to }: HistoryDoc, announces: Announces): string[] {
  const before = from?.split(".")[0];
  const after = to.split(".")[0] ?? to;
  return before === after ? [] : announces({ event, before, after }).map((type) => `${version} ${type}`);
}
