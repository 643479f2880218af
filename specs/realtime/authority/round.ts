import { setTimeout as pause } from "node:timers/promises";
import { hasFields } from "../../stress/parent.ts";
import { eventually } from "../../support/eventually.ts";
import { now } from "../wire/clock.ts";
import type { Act } from "./acts.ts";
import { hammer } from "./hammer.ts";
import type { Room } from "./room.ts";

const SOCKETS = 4;
const GOES_ON_MS = 1_000;
const REACHES_WITHIN_MS = 5_000;

export type Round = {
  act: string;
  /** Messages accepted before the act, by each way: a round without any proves nothing. */
  before: { rest: number; socket: number };
  /** Attempts that started after the act was answered. */
  after: number;
  /** Messages that were admitted after the act was answered, or that follow its event in the log. */
  broken: string[];
  /** Time from the answer until each affected socket learned of it, ms; 0 for those that learned earlier. */
  reachMs: number[];
};

/** A user sends by all ways at once, and an act takes that right away: nothing is admitted after its answer. */
export async function playRound(room: Room, act: Act, calmMs: number): Promise<Round> {
  const victim = await room.given.moderatorOf(room);
  const sockets = await room.socketsOf(victim, SOCKETS);
  const load = hammer(victim, sockets, room.streamId);
  await pause(calmMs);
  const seenBefore = room.witness.messages.length;
  await act.run(room, victim);
  const answeredAt = now();
  const head = await room.head();

  const news = await room.given.user();
  await notifyModerators(room, news.id);
  await pause(GOES_ON_MS);
  await load.stop();
  const event = act.event === null ? null : await eventOf(room, act.event, seenBefore);
  const seen = event === null ? [] : await allShown(room, event);
  const noticed = await eventually(
    () =>
      sockets.map((socket) => {
        const at = act.noticedAt(socket);
        if (at === null) throw new Error(`a socket of the ${act.name}'s victim hasn't been notified of it`);
        return at;
      }),
    { withinMs: REACHES_WITHIN_MS },
  );

  const limit = Math.min(head, event ?? Number.POSITIVE_INFINITY);
  await eventually(async () => (room.witness.seq ?? 0) >= (await room.head()));
  const late = room.witness.messages.filter(
    ({ type, seq = 0, data }) =>
      type === "chat.message" && seq > limit && hasFields(data, "user_id") && data.user_id === victim.id,
  );
  const { attempts } = load;
  const began = attempts.filter(({ startedAt }) => startedAt > answeredAt);
  const unexpected = began.filter(({ outcome }) => outcome !== null && !act.refusals.includes(outcome));
  const leaked = sockets.flatMap((socket) =>
    socket.ofType("mod.action").filter(({ message }) => targetOf(message.data) === news.id),
  );
  for (const { wire } of sockets) wire.cut();
  const accepted = (by: string) =>
    attempts.filter((one) => one.by === by && one.outcome === "accepted" && one.startedAt < answeredAt)
      .length;
  return {
    act: act.name,
    before: { rest: accepted("rest"), socket: accepted("socket") },
    after: began.length,
    broken: [
      ...late.map(({ seq }) => `${act.name}: message ${seq} was admitted after ${limit}`),
      ...unexpected.map(({ by, outcome }) => `${act.name}: ${by} was answered ${outcome} afterwards`),
      // After a mode change or timeout the user is still a moderator.
      ...(act.name === "timeout" || act.name === "mode change" ? [] : leaked).map(
        () => `${act.name}: moderators' news went to one who is none any more`,
      ),
    ],
    reachMs: [...seen, ...noticed].map((at) => Math.max(0, at - answeredAt)),
  };
}

/** Triggers an event for moderators only. */
async function notifyModerators({ owner, at }: Room, userId: string): Promise<void> {
  const body = { duration_seconds: 60 };
  await owner.api.ok("timeoutUser", { params: { ...at, user_id: userId }, body });
}

function targetOf(data: unknown): unknown {
  return hasFields(data, "target") && hasFields(data.target, "id") ? data.target.id : null;
}

/** The sequence number of the act's own event. */
function eventOf({ witness }: Room, type: string, from: number): Promise<number> {
  return eventually(() => {
    const found = witness.messages.slice(from).find((message) => message.type === type);
    if (found?.seq === undefined) throw new Error(`nobody was shown ${type}`);
    return found.seq;
  });
}

function allShown(room: Room, seq: number): Promise<number[]> {
  return eventually(
    () => {
      const shown = room.shownAt(seq);
      if (shown.length < room.crowd.length) throw new Error(`${shown.length} sockets were shown the act`);
      return shown;
    },
    { withinMs: REACHES_WITHIN_MS },
  );
}
