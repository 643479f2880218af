import { expect } from "chai";
import fc from "fast-check";
import { createAdmission } from "../../../realtime/rooms/admission.ts";
import { createAdmissionQueue } from "../../../realtime/rooms/admission-queue.ts";
import { emoteSet } from "../../../realtime/rooms/config/emotes.ts";
import { readMember } from "../../../realtime/rooms/config/members.ts";
import type { RoomConfig } from "../../../realtime/rooms/config/room-configs.ts";
import { createIdentities } from "../../../realtime/rooms/identities.ts";
import { createLookupSlots } from "../../../realtime/rooms/lookup-slots.ts";
import { createRoomState } from "../../../realtime/rooms/room-state.ts";
import { createTextDecisions } from "../../../realtime/rooms/text-decisions.ts";
import { usersIn } from "../../../store/mongo/accounts/users.ts";
import { chatHiddenIn } from "../../../store/mongo/chat/chat-hidden.ts";
import { chatMessagesIn } from "../../../store/mongo/chat/chat-messages.ts";
import { defaultChatModes } from "../../../store/mongo/host/chat-modes.ts";
import { serverRuns } from "../../../store/redis/server-run.ts";
import { PlainAdmission, type PlainModes } from "./model/plain-admission.ts";
import { SENDERS, type Step, steps, TEXTS } from "./model/steps.ts";
import { codeOf, openRoomsWorld, quiet, type RoomsWorld, type Talker, talker } from "./world.ts";

const SEED = Number(process.env.MODEL_SEED ?? 20_261);
const RUNS = Number(process.env.MODEL_RUNS ?? 25);

const WAVE = { id: "wave", name: "wave", url: "https://live.example/wave", isGlobal: false, minTier: 0 };

/** What terms do has specs of its own: here a text has its verdict by what it says. */
const CONFIG: RoomConfig = {
  version: 0,
  terms: {
    check({ content }) {
      const action = TEXTS.find(({ text }) => text === content)?.term;
      return action ? { action, term: "word" } : null;
    },
    judge: () => null,
  },
  emotes: emoteSet([WAVE]),
  badges: new Set(),
};

describe("admission against a plain model of its rules", function () {
  this.timeout(300_000);
  let world: RoomsWorld;
  before(async () => {
    world = await openRoomsWorld();
  });
  after(() => world.close());

  /** As rooms make it, with those terms. */
  function admission() {
    const { redis, streams, grantedRoles, chatBans, db, clock, follows } = world;
    const runs = serverRuns(redis);
    const slots = createLookupSlots(8);
    const [archive, hidden] = [chatMessagesIn(db), chatHiddenIn(db)];
    const decisions = createTextDecisions({
      states: createRoomState({
        runs,
        streams,
        grantedRoles,
        chatBans,
        archive,
        hidden,
        owners: usersIn(db),
        slots,
        clock,
      }),
      lookups: {
        globals: () => ({ emotes: emoteSet([]), badges: new Map() }),
        configs: { of: async () => CONFIG },
        knownMember: (streamId, userId) => readMember(redis, streamId, userId),
        facts: async () => "0 0",
        followsSince: async (userId, ownerId) =>
          (await follows.find(userId, ownerId))?.createdAt.getTime() ?? 0,
        hasChatted: archive.hasChatted,
      },
      nowMs: clock.now,
    });
    const send = createAdmission({
      decisions,
      identities: createIdentities({ redis, streams, slots }),
      clock,
      queue: createAdmissionQueue({ log: quiet }),
      findReplied: async () => null,
      onAdmitted: () => undefined,
    });
    return { send, close: () => runs.close() };
  }

  /** One room and who speaks in it: the owner, one who has followed for a day, one for seven minutes, and two who don't. */
  async function begin() {
    const model = new PlainAdmission();
    const stream = await world.channel();
    const owner: Talker = { userId: stream.userId, username: "owner" };
    const senders = [owner, ...Array.from({ length: SENDERS - 1 }, talker)];
    model.sender(owner.userId).role = "owner";
    const now = world.clock.now();
    for (const [i, sinceMs] of [
      [1, 86_400_000],
      [2, 420_000],
    ] as const) {
      const follower = senders[i];
      if (!follower) throw new Error("there are fewer senders");
      const createdAt = new Date(now - sinceMs);
      const { userId: followerId } = follower;
      await world.follow({ id: `${stream._id} ${i}`, followerId, followingId: stream.userId, createdAt });
      model.sender(followerId).followsSince = createdAt.getTime();
    }
    return { model, stream, senders };
  }
  type Room = Awaited<ReturnType<typeof begin>>;
  type Send = ReturnType<typeof admission>["send"];

  const storedModes = (modes: PlainModes) => ({
    ...defaultChatModes,
    chatEnabled: modes.enabled,
    slow: modes.slow !== null,
    slowSeconds: modes.slow ?? 30,
    followersOnly: modes.followers !== null,
    followersMinutes: modes.followers ?? 0,
    emoteOnly: modes.emote,
    uniqueChat: modes.unique,
    shieldMode: modes.shield,
  });

  /** What the room and the model answer to each message of the step. */
  async function take({ model, stream, senders }: Room, send: Send, step: Step): Promise<[string, string][]> {
    const who = (place: number): Talker => senders[place] ?? talker();
    const applyEffects = (effect: Parameters<typeof world.act>[3]) =>
      world.act(stream._id, "chat.cleared", {}, effect);
    const answersTo = async (sender: Talker, message: (typeof TEXTS)[number]): Promise<[string, string]> => {
      const outcome = await send({ streamId: stream._id, sender, content: message.text });
      return [codeOf(outcome), model.send(sender.userId, message, world.clock.now())];
    };
    switch (step.do) {
      case "wait":
        world.advance(step.ms);
        return [];
      case "modes":
        model.modes = step.modes;
        await applyEffects([{ kind: "modes", modes: storedModes(step.modes) }]);
        return [];
      case "silence": {
        const { userId } = who(step.whom);
        const untilMs = step.ms === null ? null : world.clock.now() + step.ms;
        model.sender(userId).silencedUntil = untilMs ?? Number.POSITIVE_INFINITY;
        await applyEffects([{ kind: "ban", userId, untilMs }]);
        return [];
      }
      case "unsilence": {
        const { userId } = who(step.whom);
        model.sender(userId).silencedUntil = null;
        await applyEffects([{ kind: "unban", userId }]);
        return [];
      }
      case "role": {
        const { userId } = who(step.whom);
        model.sender(userId).role = step.role;
        await applyEffects([{ kind: "role", userId, role: step.role }]);
        return [];
      }
      case "send": {
        const message = TEXTS[step.text];
        return message ? [await answersTo(who(step.by), message)] : [];
      }
      case "burst": {
        const answers: [string, string][] = [];
        for (let i = 0; i < step.times; i++) {
          const text = `text ${world.clock.now()} ${i}`;
          answers.push(await answersTo(who(step.by), { text, same: text }));
          world.advance(step.everyMs);
        }
        return answers;
      }
    }
  }

  it("answers as the model does, whatever happens before", async () => {
    const { send, close } = admission();
    const seen = new Set<string>();
    const holds = fc.asyncProperty(steps, async (run) => {
      const room = await begin();
      for (const [i, step] of run.entries()) {
        for (const [answer, wanted] of await take(room, send, step)) {
          seen.add(answer);
          expect(answer, `step ${i}: ${JSON.stringify(step)}`).equal(wanted);
        }
      }
    });
    try {
      await fc.assert(holds, { seed: SEED, numRuns: RUNS });
    } finally {
      close();
    }
    // Otherwise the runs show less than they seem to.
    expect([...seen].sort()).deep.equal([
      "admitted",
      "banned",
      "blocked_term",
      "chat_disabled",
      "duplicate_message",
      "emote_only",
      "first_time_chatter",
      "followers_only",
      "held",
      "rate_limited",
      "slow_mode",
      "timed_out",
    ]);
  });
});
