import { setTimeout as pause } from "node:timers/promises";
import { expect } from "chai";
import { eventually } from "../../support/eventually.ts";
import type { Person } from "../../support/given-channels.ts";
import { type Acts, type ActsWorld, answerTo, going, receiveOwn } from "./world.ts";

const TERM = "spoiler";
const EVERY_MS = 1_600;
/** Authors who take turns: at most ten messages of one author may be held in five minutes. */
const TAKE_TURNS = 20;

type Held = { id: string; authorId: string; outcome: string };

/**
 * `atOnce` authors send messages that are held, and two moderators decide concurrently about each, at random. All who learn an
 * outcome learn the same one; an approved message is in the room once, a denied one never, and its author is notified once.
 */
export async function decideHeld(world: ActsWorld, atOnce: number): Promise<Acts> {
  const { load, room, service, signal } = world;
  const { given, random } = load;
  const { channel, record } = room;
  const params = channel.at;
  await channel.owner.api.ok("addBlockedTerm", { params, body: { term: TERM, action: "hold" } });
  const moderators = [channel.owner, await given.moderatorOf(channel)];
  const decided: Held[] = [];
  const notified = new Map<string, string[]>();
  const people = await Promise.all(Array.from({ length: atOnce * TAKE_TURNS }, () => given.user()));
  const listening = await Promise.all(
    people.map((person) =>
      receiveOwn(service, person, (own) =>
        own.on("chat.held_resolved", ({ data }) => {
          notified.set(data.id, [...(notified.get(data.id) ?? []), data.outcome]);
        }),
      ),
    ),
  );

  async function hold({ api }: Person, content: string): Promise<string> {
    const body = { content, nonce: globalThis.crypto.randomUUID() };
    const answer = await answerTo(() => api.call("sendChatMessage", { params, body }));
    expect(answer.status, `"${content}" is held: ${answer.code}`).equal(202);
    return String(Object(answer.body).id);
  }

  /** The outcome that the moderator gets. */
  async function decide({ api }: Person, held_id: string): Promise<string> {
    const isApproval = random() < 0.5;
    const answer = await answerTo(() =>
      api.call(isApproval ? "approveHeldMessage" : "denyHeldMessage", { params: { ...params, held_id } }),
    );
    if (answer.status === 200) return isApproval ? "approved" : "denied";
    expect(answer.code, `a decision about ${held_id}`).equal("invalid_state");
    return String(answer.details.status);
  }

  async function work(nth: number): Promise<void> {
    for (let n = 0; !signal.aborted; n++) {
      const author = people[nth * TAKE_TURNS + (n % TAKE_TURNS)];
      if (!author) throw new Error("nobody says anything");
      const id = await hold(author, `${TERM} ${n} of ${author.id}`);
      const outcomes = new Set(await Promise.all(moderators.map((one) => decide(one, id))));
      expect([...outcomes], `what became of ${id}`).length(1);
      const [outcome = ""] = outcomes;
      // From now on every client must receive it, and history must have it.
      if (outcome === "approved") record.acknowledged.add(id);
      decided.push({ id, authorId: author.id, outcome });
      await pause(EVERY_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  return {
    done: () => decided.length,
    over: going(() => Promise.all(Array.from({ length: atOnce }, (_one, nth) => work(nth)))),
    async check() {
      const { items } = await channel.owner.api.ok("listHeldMessages", { params });
      expect(items, "what waits when all is decided").deep.equal([]);
      const expected = new Map(decided.map(({ id, outcome }) => [id, [outcome]]));
      await eventually(() => notified.size >= expected.size, { what: "the last author is notified" });
      expect(notified, "what authors were notified of").deep.equal(expected);
      // A decision is answered before the message reaches the room.
      const approved = decided.filter(({ outcome }) => outcome === "approved");
      const isPublished = () => approved.every(({ id }) => record.places.has(id));
      await eventually(isPublished, { withinMs: 15_000, what: "what was approved is published" });
      const shown = decided.filter(({ id, outcome }) => outcome === "denied" && record.places.has(id));
      expect(shown, "what was denied and published").deep.equal([]);
      expect(listening.reduce((sum, one) => sum + one.restarts(), 0)).equal(0);
      return { held: decided.length, approved: approved.length };
    },
    close: () => listening.forEach((one) => void one.close()),
  };
}
