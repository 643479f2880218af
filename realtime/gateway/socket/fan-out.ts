import type { Connection } from "./connection.ts";

/** Sockets that one turn of the event loop sends to: some milliseconds of writing. */
const PIECE = 512;
/** Of frames that wait for a piece's turn; well below what a reader may be behind. */
const MAX_PENDING_BYTES = 64 * 1024;

type Frame = Buffer | string;
export type Follower = Pick<Connection, "follow" | "unfollow">;

/** Some of a topic's sockets: one topic of uWS. Who is in it changes only behind all that it was sent. */
type SubTopic = {
  name: string;
  followers: Set<Follower>;
  /** What it still lacks of its topic's frames, in their order. */
  pending: Frame[];
  pendingBytes: number;
  /** Called when nothing is pending any more. */
  onSent: (() => void)[];
};

/**
 * Frames on their way to everybody who follows a topic.
 *
 * 1. Sockets of a topic are split over sub-topics. One that has a single sub-topic is sent to at once.
 * 2. A larger one is sent to in pieces, one in a turn of the event loop, since uWS writes all that a turn has published
 *    at its end. Of all that wait, each gets its turn, and then all that is pending for it.
 * 3. Who joins a sub-topic comes behind what was published before: that is sent first. Who leaves gets nothing more.
 */
export function createFanOut(deps: { publish(subTopic: string, frame: Frame): void }) {
  const topics = new Map<string, SubTopic[]>();
  /** Sub-topics with something pending; the one that has waited longest first. */
  const waiting = new Set<SubTopic>();
  let made = 0;
  let scheduled = false;

  function send(part: SubTopic): void {
    waiting.delete(part);
    part.pendingBytes = 0;
    for (const frame of part.pending.splice(0)) deps.publish(part.name, frame);
    for (const done of part.onSent.splice(0)) done();
  }

  function schedule(): void {
    if (scheduled || waiting.size === 0) return;
    scheduled = true;
    setImmediate(turn);
  }

  function turn(): void {
    scheduled = false;
    let left = PIECE;
    for (const part of waiting) {
      left -= part.followers.size;
      if (left < 0) break;
      send(part);
    }
    schedule();
  }

  /** The first with room for one more: those who come together get into one. */
  function openPart(topic: string): SubTopic {
    const parts = topics.get(topic) ?? [];
    topics.set(topic, parts);
    const open = parts.find(({ followers }) => followers.size < PIECE);
    if (open) return open;
    const name = `${topic}/${made++}`;
    const part: SubTopic = { name, followers: new Set(), pending: [], pendingBytes: 0, onSent: [] };
    parts.push(part);
    return part;
  }

  return {
    /** From here on the socket gets what is published, and nothing of before. */
    follow(follower: Follower, topic: string): void {
      const part = openPart(topic);
      send(part);
      part.followers.add(follower);
      follower.follow(part.name);
    },
    /** Does nothing for one that doesn't follow the topic. */
    unfollow(follower: Follower, topic: string): void {
      const parts = topics.get(topic);
      const part = parts?.find(({ followers }) => followers.has(follower));
      if (!parts || !part) return;
      part.followers.delete(follower);
      follower.unfollow(part.name);
      if (part.followers.size > 0) return;
      send(part);
      parts.splice(parts.indexOf(part), 1);
      if (parts.length === 0) topics.delete(topic);
    },
    publish(topic: string, frame: Frame): void {
      const parts = topics.get(topic) ?? [];
      for (const part of parts) {
        part.pending.push(frame);
        part.pendingBytes += frame.length;
        if (parts.length === 1 || part.pendingBytes > MAX_PENDING_BYTES) send(part);
        else waiting.add(part);
      }
      schedule();
    },
    /** Sockets that follow a topic. */
    followers: (topic: string): number =>
      (topics.get(topic) ?? []).reduce((sum, { followers }) => sum + followers.size, 0),
    /** Resolves once all that was published to a topic so far has been sent to everybody. */
    async sent(topic: string): Promise<void> {
      const behind = (topics.get(topic) ?? []).filter((part) => waiting.has(part));
      await Promise.all(behind.map((part) => new Promise<void>((done) => void part.onSent.push(done))));
    },
  };
}

export type FanOut = ReturnType<typeof createFanOut>;
