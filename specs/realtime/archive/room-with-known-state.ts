import { expect } from "chai";
import type { RoomStateChange } from "../../../realtime/rooms/types.ts";
import type { StreamDoc } from "../../../store/mongo/channels/streams.ts";
import { type ChatMessageDoc, chatMessagesIn } from "../../../store/mongo/chat/chat-messages.ts";
import { type RoomsWorld, type Talker, talker } from "../rooms/world.ts";

type SentMessage = {
  uuid: string;
  userId: string;
  epoch: number;
  seq: number;
  content: string;
  isDeleted: boolean;
};

const TALKERS = 20;
const MAX_MESSAGES = 1_000_000;

/**
 * A room whose full state is known: what was acknowledged, its position, and whether it was deleted. Deletions, bans and clears
 * happen between the messages, sometimes repeatedly.
 */
export class RoomWithKnownState {
  readonly sent: SentMessage[] = [];
  readonly #world: RoomsWorld;
  readonly #stream: StreamDoc;
  readonly #talkers: readonly Talker[] = Array.from({ length: TALKERS }, talker);
  readonly #random: () => number;

  private constructor(world: RoomsWorld, stream: StreamDoc, random: () => number) {
    this.#world = world;
    this.#stream = stream;
    this.#random = random;
  }

  static async open(world: RoomsWorld, random: () => number): Promise<RoomWithKnownState> {
    return new RoomWithKnownState(world, await world.channel(), random);
  }

  /** Performs one random action. */
  async actAtRandom(): Promise<void> {
    const drawn = this.#random();
    const one = this.#pick(this.sent);
    if (drawn < 0.08 && one) await this.#delete(one);
    else if (drawn < 0.095) await this.#ban(this.#talkerAtRandom());
    else if (drawn < 0.098) await this.#clear();
    else await this.#say();
  }

  async archived(): Promise<ChatMessageDoc[]> {
    return chatMessagesIn(this.#world.db).pageBefore(this.#stream._id, null, MAX_MESSAGES);
  }

  /** Throws unless the archive has exactly the acknowledged messages, each once, at its position and in its last state. */
  async expectArchived(): Promise<void> {
    const docs = await this.archived();
    const view = ({ seq, epoch, content }: SentMessage | ChatMessageDoc, isDeleted: boolean) =>
      `${epoch}:${seq} ${content}${isDeleted ? " (deleted)" : ""}`;
    const found = docs.map((doc) => view(doc, doc.deletedAt !== null)).reverse();
    const known = this.sent.map((message) => view(message, message.isDeleted));
    expect(found).deep.equal(known);
    expect(docs.map(({ _id }) => _id).reverse()).deep.equal(this.sent.map(({ uuid }) => uuid));
  }

  async #say(): Promise<void> {
    const sender = this.#talkerAtRandom();
    const content = `message ${this.sent.length}`;
    // So that no rate limit applies.
    this.#world.advance(2_000);
    const nonce = globalThis.crypto.randomUUID();
    const outcome = await this.#persistently(() =>
      this.#world.rooms.send({ streamId: this.#stream._id, sender, content, nonce }),
    );
    if (!outcome.ok) throw new Error(`a message was refused: ${outcome.code}`);
    const { epoch, seq, message } = outcome;
    this.sent.push({ uuid: message.uuid, userId: sender.userId, epoch, seq, content, isDeleted: false });
  }

  async #delete(message: SentMessage): Promise<void> {
    const { uuid } = message;
    await this.#act("chat.message_deleted", { uuid }, [{ kind: "delete", uuid }]);
    message.isDeleted = true;
  }

  /** Hides the user's messages, and lifts the ban again. */
  async #ban({ userId }: Talker): Promise<void> {
    await this.#act("chat.user_banned", { user_id: userId }, [{ kind: "ban", userId, untilMs: null }]);
    await this.#act("mod.action", {}, [{ kind: "unban", userId }]);
    for (const message of this.sent) message.isDeleted ||= message.userId === userId;
  }

  async #clear(): Promise<void> {
    await this.#act("chat.cleared", {}, [{ kind: "clear" }]);
    for (const message of this.sent) message.isDeleted = true;
  }

  async #act(type: string, data: object, effects: readonly RoomStateChange[]): Promise<void> {
    await this.#persistently(() => this.#world.act(this.#stream._id, type, data, effects));
  }

  /** Retries while Redis is unavailable, as clients and the outbox do. */
  async #persistently<T>(attempt: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await attempt();
      } catch (err) {
        if (!(err instanceof Error && "code" in err && err.code === "unavailable")) throw err;
        await new Promise((done) => setTimeout(done, 20));
      }
    }
  }

  #talkerAtRandom(): Talker {
    const [first] = this.#talkers;
    if (!first) throw new Error("the room has no talkers");
    return this.#pick(this.#talkers) ?? first;
  }

  #pick<T>(of: readonly T[]): T | undefined {
    return of[Math.floor(this.#random() * of.length)];
  }
}
