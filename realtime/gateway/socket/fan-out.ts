import type { Connection } from "./connection.ts";

/** Sockets that are sent to in one turn of the event loop, and the size of a sub-topic: some milliseconds of writing. */
const SOCKETS_PER_TURN = 512;
/** Pending bytes of a sub-topic; well below what a reader may be behind. */
const MAX_PENDING_BYTES = 64 * 1024;

type Follower = Pick<Connection, "follow" | "unfollow">;

/** A shard of a topic's sockets: one topic of uWS. A socket joins it only after everything pending was sent. */
type SubTopic = {
  name: string;
  followers: Set<Follower>;
  /** Frames of its topic that it hasn't been sent yet, in order. */
  pending: Buffer[];
  pendingBytes: number;
  /** Called when nothing is pending any more. */
  onSent: (() => void)[];
};

/**
 * Sends frames to everybody who follows a topic.
 *
 * 1. The sockets of a topic are sharded over sub-topics. A topic with a single one is sent to at once.
 * 2. A larger one is sent to in parts, a limited number of sockets per turn of the event loop, since uWS writes everything
 *    that a turn has published at its end. The waiting sub-topics take turns; each is then sent everything that is pending
 *    for it.
 * 3. A socket that joins a sub-topic gets nothing that was published before: that is sent first. One that leaves gets
 *    nothing more.
 */
export function createFanOut(deps: { publish(subTopic: string, frame: Buffer): void }) {
  const topics = new Map<string, SubTopic[]>();
  /** Sub-topics with pending frames; the one that has waited longest first. */
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
    let left = SOCKETS_PER_TURN;
    for (const part of waiting) {
      left -= part.followers.size;
      if (left < 0) break;
      send(part);
    }
    schedule();
  }

  /** The first sub-topic with room for one more, so that sockets that join together share one. */
  function openSubTopic(topic: string): SubTopic {
    const parts = topics.get(topic) ?? [];
    topics.set(topic, parts);
    const open = parts.find(({ followers }) => followers.size < SOCKETS_PER_TURN);
    if (open) return open;
    const name = `${topic}/${made++}`;
    const part: SubTopic = { name, followers: new Set(), pending: [], pendingBytes: 0, onSent: [] };
    parts.push(part);
    return part;
  }

  return {
    /** From here on the socket gets what is published, and nothing from before. */
    follow(follower: Follower, topic: string): void {
      const part = openSubTopic(topic);
      send(part);
      part.followers.add(follower);
      follower.follow(part.name);
    },
    /** Does nothing if the socket doesn't follow the topic. */
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
    publish(topic: string, frame: Buffer): void {
      const parts = topics.get(topic) ?? [];
      for (const part of parts) {
        part.pending.push(frame);
        part.pendingBytes += frame.length;
        if (parts.length === 1 || part.pendingBytes > MAX_PENDING_BYTES) send(part);
        else waiting.add(part);
      }
      schedule();
    },
    followers: (topic: string): number =>
      (topics.get(topic) ?? []).reduce((sum, { followers }) => sum + followers.size, 0),
    /** Resolves once everything published to a topic so far has been sent to all its sockets. */
    async sent(topic: string): Promise<void> {
      const behind = (topics.get(topic) ?? []).filter((part) => waiting.has(part));
      await Promise.all(behind.map((part) => new Promise<void>((done) => void part.onSent.push(done))));
    },
  };
}

export type FanOut = ReturnType<typeof createFanOut>;
