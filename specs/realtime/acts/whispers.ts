import { setTimeout as pause } from "node:timers/promises";
import { expect } from "chai";
import type { Whisper } from "../../../contract/wire.ts";
import { usersCollection } from "../../../store/mongo/accounts/users.ts";
import { eventually } from "../../support/eventually.ts";
import type { Person } from "../../support/given-channels.ts";
import type { Service } from "../../support/service.ts";
import { withDatabaseOf } from "../failures/with-service.ts";
import { type Acts, type ActsWorld, answerOrNone, going, receiveOwn } from "./world.ts";

/** A user may send a hundred whispers a minute. */
const EVERY_MS = 650;

/**
 * Two users whisper to each other. An acknowledged whisper is in the conversation once, one without an answer at most once, since
 * it isn't retried. Both receive the whole conversation, once and in order.
 */
export async function whisper({ load, service, signal }: ActsWorld): Promise<Acts> {
  const { given } = load;
  const people = [await given.user(), await given.user()] as const;
  await verify(service, people);
  const received: string[][] = people.map(() => []);
  const listening = await Promise.all(
    people.map((person, i) =>
      receiveOwn(service, person, (own) =>
        own.on("whisper", ({ data }) => void received[i]?.push(data.content)),
      ),
    ),
  );
  const answered: string[] = [];
  const unanswered: string[] = [];

  async function say(from: Person, to: Person, content: string): Promise<void> {
    const options = { params: { user_id: to.id }, body: { content } };
    const answer = await answerOrNone(() => from.api.call("sendWhisper", options));
    if (answer?.code === "rate_limited") return void (await pause(Number(answer.details.retry_after_ms)));
    if (answer === null || answer.code === "unavailable") return void unanswered.push(content);
    expect(answer.status, `a whisper: ${answer.code}`).equal(201);
    answered.push(content);
  }

  async function work(): Promise<void> {
    const [one, other] = people;
    for (let n = 0; !signal.aborted; n++) {
      await Promise.all([say(one, other, `one ${n}`), say(other, one, `other ${n}`)]);
      await pause(EVERY_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  return {
    done: () => answered.length,
    over: going(work),
    async check() {
      const [one, other] = people;
      const kept = (await conversation(one, other)).map(({ content }) => content);
      expect(new Set(kept).size, "whispers that are there twice").equal(kept.length);
      expect(kept, "what was answered").include.members(answered);
      expect([...answered, ...unanswered], "what was sent").include.members(kept);
      await eventually(() => received.every((contents) => contents.length >= kept.length), {
        what: "the last whisper is received",
      });
      for (const contents of received) expect(contents, "what was received").deep.equal(kept);
      expect(listening.reduce((sum, own) => sum + own.restarts(), 0)).equal(0);
      return { whispers: kept.length, unanswered: unanswered.length };
    },
    close: () => listening.forEach((own) => void own.close()),
  };
}

/** Oldest first. */
async function conversation({ api }: Person, { id: user_id }: Person): Promise<Whisper[]> {
  const all: Whisper[] = [];
  for (let page = 1; ; page++) {
    const query = { page, per_page: 100 };
    const { items, has_more } = await api.ok("listWhispers", { params: { user_id }, query });
    all.push(...items);
    if (!has_more) return all.reverse();
  }
}

/** Verifies mail addresses as the links in mails do. */
async function verify(service: Service, people: readonly Person[]): Promise<void> {
  const ids = people.map(({ id }) => id);
  await withDatabaseOf(service, (db) =>
    usersCollection.in(db).updateMany({ _id: { $in: ids } }, { $set: { emailVerifiedAt: new Date() } }),
  );
}
