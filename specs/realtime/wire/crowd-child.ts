/** A room's sockets and its senders, with a constant rate, as a separate process. */

import { hasFields, inputFromParent, sendToParent } from "../../stress/parent.ts";
import { eventually } from "../../support/eventually.ts";
import { openStores } from "../../support/stores.ts";
import { openRoomsWorld, talker } from "../rooms/world.ts";
import { now } from "./clock.ts";
import type { CrowdInput, CrowdReport } from "./crowd-messages.ts";
import { RoomReader, stamped } from "./room-reader.ts";

const TICK_MS = 2;
const CATCH_UP_MS = 5_000;

const input = inputFromParent<CrowdInput>((value): value is CrowdInput =>
  hasFields(value, "database", "port", "streamId", "sockets", "perSecond"),
);
const { port, streamId, perSecond } = input;
const world = await openRoomsWorld({ stores: await openStores(input.database), clock: "real" });
const readers = Array.from({ length: input.sockets }, () => new RoomReader({ port, streamId }));
const [first] = readers;
/** Messages admitted since the first talk. */
let admitted = 0;

/** Null while nobody talks. */
let talking: { since: number; sent: number } | null = null;
let refused = 0;
let answers: CrowdReport["answers"] = [];
const waiting = new Set<Promise<void>>();

function sayDue(): void {
  if (!talking) return;
  const due = ((performance.now() - talking.since) / 1_000) * perSecond;
  for (; talking.sent < due; talking.sent++) {
    const saying = world.rooms
      .send({ streamId, sender: talker(), content: stamped() })
      .then((outcome) => {
        if (outcome.ok) answers.push([outcome.seq, now()]);
        if (outcome.ok) admitted++;
        else refused++;
      })
      .finally(() => void waiting.delete(saying));
    waiting.add(saying);
  }
}
setInterval(sayDue, TICK_MS);

async function report(answer: unknown): Promise<CrowdReport> {
  const sent = talking?.sent ?? 0;
  talking = null;
  await Promise.all(waiting);
  const behind = () => readers.filter(({ seq }) => (seq ?? 0) < admitted).length;
  await eventually(() => behind() === 0, { withinMs: CATCH_UP_MS }).catch(() => undefined); // the report shows it
  return {
    report: Number(answer),
    sent,
    refused,
    behind: behind(),
    missing: readers.reduce((sum, { missing }) => sum + missing, 0),
    repeated: readers.reduce((sum, { repeated }) => sum + repeated, 0),
    frames: readers.reduce((sum, { frames }) => sum + frames, 0),
    events: readers.reduce((sum, { events }) => sum + events, 0),
    delays: first?.delays ?? [],
    answers,
  };
}

process.on("message", (order) => {
  if (hasFields(order, "talk")) {
    talking = { since: performance.now(), sent: 0 };
    answers = [];
    if (first) first.delays = [];
  }
  if (hasFields(order, "stop")) void report(order.stop).then(sendToParent);
});
setInterval(() => {
  if (readers.every(({ isSubscribed }) => isSubscribed)) sendToParent({ watching: readers.length });
}, 100);
