import { setTimeout as pause } from "node:timers/promises";
import { expect } from "chai";
import type { ChatPoll } from "../../../contract/wire.ts";
import { eventually } from "../../support/eventually.ts";
import type { Person } from "../../support/given-channels.ts";
import { type Acts, type ActsWorld, answerTo, going } from "./world.ts";

/** A user may open ten polls a minute; two take turns. */
const EVERY_MS = 3_200;

/** Votes by option of an ended poll. */
type Counted = { id: string; votes: number[] };

/**
 * Runs one poll after the other: everybody votes once, with retries, then the poll is ended. Its final result has each vote once,
 * and the room receives its start and its end once.
 */
export async function voteInPolls(world: ActsWorld, voters: number): Promise<Acts> {
  const { load, room, signal } = world;
  const { given, random } = load;
  const params = room.channel.at;
  const openers = [await given.moderatorOf(room.channel), await given.moderatorOf(room.channel)];
  const people = await Promise.all(Array.from({ length: voters }, () => given.user()));
  const counted: Counted[] = [];
  const begun: string[] = [];
  const ended: Counted[] = [];
  load.enter(room, {
    onMessage({ type, data }) {
      if (type === "chat.poll") begun.push(Object(data).id);
      if (type === "chat.poll_ended") ended.push({ id: Object(data).id, votes: votesOf(Object(data)) });
    },
  });

  async function open({ api }: Person, n: number): Promise<ChatPoll> {
    const headers = { "idempotency-key": globalThis.crypto.randomUUID() };
    const body = { question: `Which one, ${n}?`, options: ["this", "that", "none"], duration_sec: 1_800 };
    const answer = await answerTo(() => api.call("createPoll", { params, body, headers }));
    expect(answer.status, `a poll is opened: ${answer.code}`).equal(201);
    return Object(answer.body);
  }

  async function vote({ api }: Person, { id, options }: ChatPoll): Promise<number> {
    const choice = Math.floor(random() * options.length);
    const option_id = options[choice]?.id ?? "";
    const answer = await answerTo(() =>
      api.call("voteInPoll", { params: { poll_id: id }, body: { option_id } }),
    );
    // This refusal means that the answer to an earlier try was lost.
    if (answer.code === "already_voted") expect(answer.details.option_id).equal(option_id);
    else expect(answer.status, `a vote: ${answer.code}`).equal(200);
    return choice;
  }

  async function end({ api }: Person, { id }: ChatPoll): Promise<void> {
    const answer = await answerTo(() => api.call("endPoll", { params: { poll_id: id } }));
    if (answer.code === "invalid_state") expect(answer.details.status).equal("ended");
    else expect(answer.status, `the end of a poll: ${answer.code}`).equal(200);
  }

  async function work(): Promise<void> {
    for (let n = 0; !signal.aborted; n++) {
      const opener = openers[n % openers.length];
      if (!opener) throw new Error("nobody opens polls");
      const poll = await open(opener, n);
      const choices = await Promise.all(people.map((person) => vote(person, poll)));
      await end(opener, poll);
      counted.push({
        id: poll.id,
        votes: poll.options.map((_option, i) => choices.filter((choice) => choice === i).length),
      });
      await pause(EVERY_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  return {
    done: () => counted.length,
    over: going(work),
    async check() {
      await eventually(() => ended.length >= counted.length, { what: "the last poll's end" });
      expect(ended, "the ends of polls, as the room received them").deep.equal(counted);
      expect(begun, "the beginnings").deep.equal(counted.map(({ id }) => id));
      return { polls: counted.length, votes: counted.length * people.length };
    },
    close: () => undefined,
  };
}

const votesOf = ({ options }: ChatPoll): number[] => options.map(({ votes }) => votes ?? 0);
