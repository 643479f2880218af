import { setTimeout as pause } from "node:timers/promises";
import { expect } from "chai";
import { connectLive, type LiveClient, LivecoreError } from "../../../clients/typescript/src/index.ts";
import { type BlockedTermDoc, blockedTermsCollection } from "../../../store/mongo/chat/blocked-terms.ts";
import { atOnce } from "../../stress/at-once.ts";
import { openLoadScenario, type Room } from "../../stress/checker/load-scenario.ts";
import { byRest, MessageLoad, type Speaker } from "../../stress/checker/message-load.ts";
import { expectFlawless } from "../../stress/checker/verdict.ts";
import { percentile } from "../../stress/percentile.ts";
import type { Print } from "../../stress/scenario.ts";
import { CheckedSocket } from "../../support/frames/checked-socket.ts";
import type { Person } from "../../support/given-channels.ts";
import type { Service } from "../../support/service.ts";
import { throughBrokenConnections } from "../../support/steady-chat.ts";
import { figuresOf } from "../failures/figures.ts";
import { withDatabaseOf, withService } from "../failures/with-service.ts";

type LoadWithTermsOptions = {
  seed: number;
  perSecond: number;
  /** Each may send at most 100 messages in 30 s; a socket takes 20 commands a second, with a burst of 60. */
  speakers: number;
  terms: number;
  /** Clients that receive all messages. */
  clients: number;
  loadMs: number;
  /** Interval at which terms are added meanwhile. */
  changeEveryMs: number;
  /** Minimum rate of answers meanwhile. */
  leastPerSecond: number;
  /** From a send to its answer. */
  ackP99Ms: number;
};

/** Contains near matches for each kind of term. */
const SAYING = "nobody buys a phrase of words from me, word by word, here is message";
/** Far above the ids that the service assigns. */
const FIRST_ID = 1_000_000_000;
const AT_ONCE = 4;
/** One in this many speakers uses REST; the others have a socket each. */
const REST_EVERY = 5;
const PROBES = 4;

/**
 * A room with hundreds of blocked terms and hundreds of messages a second, sent at two realtime and two API workers by users to
 * whom terms apply: each message reaches every client, once and in order. Terms that are added meanwhile apply, at every worker,
 * to all messages sent after the answer.
 */
export const runLoadWithTerms = (options: LoadWithTermsOptions, print: Print) =>
  withService({ REALTIME_WORKERS: "2" }, (service) => talkWithTerms(service, options, print));

/** The same in a service that is there: one with two workers for rooms and two for requests. */
export async function talkWithTerms(service: Service, options: LoadWithTermsOptions, print: Print) {
  const { perSecond, terms, loadMs, changeEveryMs, leastPerSecond, ackP99Ms } = options;
  const load = await openLoadScenario({ ...options, service, rooms: 1, perSecond: 1 });
  const senders: LiveClient[] = [];
  let messageLoad: MessageLoad | null = null;
  try {
    const [room] = load.rooms;
    if (!room) throw new Error("there is no room");
    await addTerms(service, room, terms);
    const vips = await atOnce(AT_ONCE, [...Array(options.speakers).keys()], () =>
      load.given.vipOf(room.channel),
    );
    const senderOf = (person: Person) => {
      const sender = openSender(service, person);
      senders.push(sender);
      return sender;
    };
    const prober = vips[0] ?? room.channel.owner;
    const probes = Array.from({ length: PROBES }, () => senderOf(prober));
    const speakers = vips
      .slice(1)
      .map((vip, i) => (i % REST_EVERY === 0 ? byRest(vip.api, room.record) : byClient(senderOf(vip), room)));
    print(`${load.watchers.length} clients are in a room with ${terms} terms, ${speakers.length} talk`);
    messageLoad = new MessageLoad({ speakers, perSecond, name: SAYING });
    const enough = AbortSignal.timeout(loadMs);
    const changing = keepChanging(changeEveryMs, enough, (term) =>
      expectInForce(room, { prober, probes }, term),
    );
    await Promise.race([pause(loadMs), changing]);
    const answered = messageLoad.sent - messageLoad.waiting;
    await messageLoad.stop();
    const changes = await changing;
    await load.settled(15_000);
    const verdict = await load.judge();
    expectFlawless(verdict);
    expect(verdict.announcedGaps, "gaps that were announced to clients").equal(0);
    const figures = {
      ...figuresOf(verdict),
      changes,
      perSecond: Math.round((1_000 * answered) / loadMs),
      ackP50Ms: percentile(messageLoad.ackMs, 0.5),
      ackP99Ms: percentile(messageLoad.ackMs, 0.99),
      repeatedSends: [...messageLoad.refusals.values()].reduce((sum, n) => sum + n, 0),
    };
    print(JSON.stringify(figures));
    expect(changes, "terms that were added").above(0);
    expect(figures.perSecond, "messages a second").least(leastPerSecond);
    expect(figures.ackP99Ms, "from a send to its answer, ms (p99)").most(ackP99Ms);
    return figures;
  } finally {
    // Its failure doesn't matter any more when something else has failed.
    messageLoad?.stop().catch(() => undefined);
    for (const sender of senders) sender.close();
    load.close();
  }
}

/** Adds terms at regular intervals, one after the other. Resolves with their number once `signal` is aborted. */
async function keepChanging(
  everyMs: number,
  signal: AbortSignal,
  change: (term: string) => Promise<void>,
): Promise<number> {
  for (let changes = 0; ; changes++) {
    await pause(everyMs, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return changes;
    await change(`stop${changes}`);
  }
}

/** None of these terms matches the messages. */
function termOf(i: number): Pick<BlockedTermDoc, "term" | "isRegex" | "size" | "action"> {
  const word = { isRegex: false, size: 0 };
  if (i % 30 === 0) return { term: `(?:bu+y|se+ll)s? (?:m|w)${i}`, isRegex: true, size: 30, action: "block" };
  if (i % 3 === 0) return { ...word, term: `word${i}*`, action: "hold" };
  return i % 3 === 1
    ? { ...word, term: `phrase of words ${i}`, action: "block" }
    : { ...word, term: `messages${i}`, action: "block_links" };
}

/** Inserts all but one directly, since a user may change only 120 a minute; adding the last by the API puts all into force. */
async function addTerms(service: Service, { channel }: Room, terms: number): Promise<void> {
  const { owner, at } = channel;
  const docs = Array.from({ length: terms - 1 }, (_one, i) => ({
    _id: FIRST_ID + i,
    streamId: at.stream_id,
    channelId: owner.id,
    ...termOf(i),
    createdBy: owner.id,
    createdAt: new Date(),
  }));
  await withDatabaseOf(service, (db) => blockedTermsCollection.in(db).insertMany(docs));
  await owner.api.ok("addBlockedTerm", { params: at, body: { term: "the last", action: "block" } });
  const { total } = await owner.api.ok("listBlockedTerms", { params: at });
  expect(total, "terms of the room").equal(terms);
}

/** A socket for sending only: receiving the room's messages would be most of this process's work. */
function openSender({ env }: Service, { api }: Person): LiveClient {
  return connectLive({
    url: `ws://127.0.0.1:${env.REALTIME_PORT}`,
    WebSocket: CheckedSocket,
    ticket: async () => (await api.ok("createWsTicket")).ticket,
  });
}

const byClient = (sender: LiveClient, { record }: Room): Speaker => ({
  record,
  async say(content, nonce) {
    const sent = await sender.say(record.streamId, content, { nonce });
    if ("held" in sent) throw new Error(`a term held "${content}"`);
    return sent.message.uuid;
  },
});

async function expectInForce(
  { channel }: Room,
  { prober, probes }: { prober: Person; probes: readonly LiveClient[] },
  term: string,
): Promise<void> {
  const { owner, at } = channel;
  await owner.api.ok("addBlockedTerm", { params: at, body: { term, action: "block" } });
  const bySocket = probes.map((probe, i) =>
    probe.say(at.stream_id, `${term} by socket ${i}`).then(
      () => "accepted",
      (err: unknown) => (err instanceof LivecoreError ? err.code : String(err)),
    ),
  );
  const byHttp = Array.from({ length: PROBES }, async (_one, i) => {
    const body = { content: `${term} by REST ${i}` };
    const send = () => prober.api.call("sendChatMessage", { params: at, body });
    return (await throughBrokenConnections(send)).code;
  });
  const codes = await Promise.all([...bySocket, ...byHttp]);
  // A busy machine may not answer in time, which says nothing about terms.
  const answered = codes.filter((code) => code !== "unavailable");
  expect(answered, `what becomes of "${term}" after the answer`).deep.equal(
    answered.map(() => "blocked_term"),
  );
  expect(answered.length, "probes that were answered").above(0);
}
