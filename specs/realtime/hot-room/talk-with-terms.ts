import { setTimeout as pause } from "node:timers/promises";
import { expect } from "chai";
import { LivecoreError } from "../../../clients/typescript/src/rest/errors.ts";
import { atOnce } from "../../stress/at-once.ts";
import { type LoadScenario, openLoadScenario, type Room } from "../../stress/checker/load-scenario.ts";
import { expectFlawless } from "../../stress/checker/verdict.ts";
import type { Watcher } from "../../stress/checker/watcher.ts";
import { percentile } from "../../stress/percentile.ts";
import type { Say } from "../../stress/scenario.ts";
import { eventually } from "../../support/eventually.ts";
import type { Person } from "../../support/given-channels.ts";
import { figuresOf } from "../failures/figures.ts";
import { withService } from "../failures/with-service.ts";

export type TalkWithTermsOptions = {
  seed: number;
  perSecond: number;
  /** Each says at most 100 in 30 s, and 20 a second. */
  speakers: number;
  terms: number;
  clients: number;
  talkMs: number;
  /** Terms that are added under it. */
  changes: number;
  /** From a send to its answer. */
  ackP99Ms: number;
};

/** Somewhere in here each kind of term has to look twice. */
const SAYING = "nobody buys a phrase of words from me, word by word, here is message";
/** A user changes 120 terms a minute. */
const TERMS_OF_ONE = 100;
const PROBES = 4;

/**
 * A room with hundreds of blocked terms and hundreds of messages a second, said at two realtime and two API workers by people
 * whom terms ask: each is shown to everybody, once and in order. Terms that are added meanwhile hold for whatever is said
 * after the answer, at every worker.
 */
export async function runTalkWithTerms(options: TalkWithTermsOptions, say: Say) {
  const { perSecond, terms, talkMs, changes, ackP99Ms } = options;
  return withService({ REALTIME_WORKERS: "2" }, async (service) => {
    const load = await openLoadScenario({ ...options, service, rooms: 1, speakersAre: "vips" });
    try {
      const [room] = load.rooms;
      if (!room) throw new Error("there is no room");
      await addTerms(load, room, terms);
      const prober = await proberOf(load, room);
      say(`${load.watchers.length} clients are in a room with ${terms} terms`);
      const talk = load.talk(SAYING);
      const startedAt = performance.now();
      for (let change = 1; change <= changes; change++) {
        await pause(talkMs / (changes + 1));
        await expectInForce(room, prober, `stop${change}`);
      }
      await pause(talkMs / (changes + 1));
      const seconds = (performance.now() - startedAt) / 1_000;
      const { said, waiting } = talk;
      await talk.stop();
      await load.settled(15_000);
      const verdict = await load.judge();
      expectFlawless(verdict);
      expect(verdict.toldGaps, "gaps that clients were told of").equal(0);
      const figures = {
        ...figuresOf(verdict),
        perSecond: Math.round((said - waiting) / seconds),
        ackP50Ms: percentile(talk.ackMs, 0.5),
        ackP99Ms: percentile(talk.ackMs, 0.99),
        repeatedSends: [...talk.refusals.values()].reduce((sum, n) => sum + n, 0),
      };
      expect(figures.perSecond, "messages a second").least(0.9 * perSecond);
      expect(figures.ackP99Ms, "from a send to its answer, ms (p99)").most(ackP99Ms);
      return figures;
    } finally {
      load.close();
    }
  });
}

/** None of them is in what is said. */
function termOf(i: number): object {
  if (i % 30 === 0) return { term: `(?:bu+y|se+ll)s? (?:m|w)${i}`, is_regex: true, action: "block" };
  if (i % 3 === 0) return { term: `word${i}*`, action: "hold" };
  return i % 3 === 1
    ? { term: `phrase of words ${i}`, action: "block" }
    : { term: `messages${i}`, action: "block_links" };
}

async function addTerms({ given }: LoadScenario, { channel }: Room, terms: number): Promise<void> {
  const adding = await atOnce(2, [...Array(Math.ceil(terms / TERMS_OF_ONE)).keys()], () =>
    given.moderatorOf(channel),
  );
  const params = channel.at;
  await atOnce(2, [...Array(terms).keys()], async (i) => {
    await adding[i % adding.length]?.api.ok("addBlockedTerm", { params, body: termOf(i) });
  });
  const { total } = await channel.owner.api.ok("listBlockedTerms", { params });
  expect(total, "terms of the room").equal(terms);
}

type Prober = { person: Person; watchers: Watcher[] };

/** With sockets at both realtime workers. */
async function proberOf(load: LoadScenario, room: Room): Promise<Prober> {
  const person = await load.given.vipOf(room.channel);
  const watchers = Array.from({ length: PROBES }, () => load.enter(room, { person }));
  await eventually(() => watchers.every(({ isCaughtUp }) => isCaughtUp), { withinMs: 10_000 });
  return { person, watchers };
}

async function expectInForce({ channel }: Room, prober: Prober, term: string): Promise<void> {
  const { owner, at } = channel;
  await owner.api.ok("addBlockedTerm", { params: at, body: { term, action: "block" } });
  const bySocket = prober.watchers.map(async ({ client }, i) =>
    client.say(`${term} by socket ${i}`).then(
      () => "said",
      (err: unknown) => (err instanceof LivecoreError ? err.code : String(err)),
    ),
  );
  const byRest = Array.from({ length: PROBES }, async (_one, i) => {
    const body = { content: `${term} by REST ${i}` };
    return (await prober.person.api.call("sendChatMessage", { params: at, body })).code;
  });
  const codes = await Promise.all([...bySocket, ...byRest]);
  expect(new Set(codes), `what becomes of "${term}" after the answer`).deep.equal(new Set(["blocked_term"]));
}
