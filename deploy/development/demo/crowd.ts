import { WebSocket } from "ws";
import {
  connectRoom,
  type LivecoreClient,
  LivecoreError,
  type RoomClient,
  type ServerMessage,
} from "../../../clients/typescript/src/index.ts";
import type { Account } from "./cast.ts";

/** What one viewer received from the creator's room, in order of arrival. */
type Seen = {
  uuids: string[];
  breaks: number;
  /** Number of subscriptions and tips that the room announced. */
  payments: number;
  last: Place | null;
  /** When sockets were lost, and when the viewer had reconnected and caught up; ms of performance.now(). */
  lostAt: number[];
  backAt: number[];
};

type Place = { epoch: number; seq: number };

export type Viewer = { account: Account | null; deviceId: string; client: RoomClient; seen: Seen };

/** Counters and samples of the whole crowd, collected while it acts. */
export type Tally = {
  acknowledged: Set<string>;
  refused: Map<string, number>;
  ackMs: number[];
  deliveryMs: number[];
  resumes: number;
};

export const newTally = (): Tally => ({
  acknowledged: new Set(),
  refused: new Map(),
  ackMs: [],
  deliveryMs: [],
  resumes: 0,
});

/** Maximum number of delivery samples: the crowd receives far more messages than the statistics need. */
const MAX_SAMPLES = 200_000;

/** When a line was sent, by its text. All viewers run in this process and share its clock. */
export type SendTimes = Map<string, number>;

export function joinRoom(options: {
  socketUrl: string;
  streamId: string;
  account: Account | null;
  serial: number;
  tally: Tally;
  sentAt: SendTimes;
}): Viewer {
  const { socketUrl, streamId, account, serial, tally, sentAt } = options;
  const seen: Seen = { uuids: [], breaks: 0, payments: 0, last: null, lostAt: [], backAt: [] };
  let missed: Place | null = null;
  let epoch = 0;
  let connections = 0;
  function see(message: ServerMessage): void {
    // After a raid the client is in another room.
    if ("channel" in message && message.channel !== `chat:${streamId}`) return;
    if (message.type === "subscribed") {
      const place = placeIn(message.data);
      connections += 1;
      if (connections > 1) {
        tally.resumes += 1;
        missed = place;
      }
      epoch = place.epoch;
      seen.last ??= place;
    } else if (message.type === "room.epoch") {
      epoch = message.data.epoch;
      seen.last = { epoch, seq: 0 };
    }
    if (!("seq" in message) || message.seq === undefined) return;
    if (seen.last && seen.last.epoch === epoch && message.seq !== seen.last.seq + 1) seen.breaks += 1;
    seen.last = { epoch, seq: message.seq };
    if (message.type === "subscription.started" || message.type === "tip.received") seen.payments += 1;
    if (message.type !== "chat.message") return;
    seen.uuids.push(message.data.uuid);
    const sent = sentAt.get(message.data.content);
    if (sent !== undefined && tally.deliveryMs.length < MAX_SAMPLES) {
      tally.deliveryMs.push(performance.now() - sent);
    }
  }
  const client = connectRoom({
    url: socketUrl,
    streamId,
    WebSocket: class extends WebSocket {
      constructor(url: string) {
        super(url);
        this.once("open", () => this.once("close", () => seen.lostAt.push(performance.now())));
      }
    },
    ...(account ? { ticket: () => account.client.ticket() } : {}),
    onMessage: (message) => {
      see(message);
      if (missed === null || seen.last === null) return;
      if (seen.last.epoch === missed.epoch && seen.last.seq < missed.seq) return;
      missed = null;
      seen.backAt.push(performance.now());
    },
  });
  return { account, deviceId: `demo-device-${streamId.slice(0, 8)}-${serial}`, client, seen };
}

/** Sends one line and records the outcome; a refusal is an outcome, anything else an error. */
export async function say(viewer: Viewer, line: string, tally: Tally, sentAt: SendTimes): Promise<void> {
  const started = performance.now();
  sentAt.set(line, started);
  try {
    const sent = await viewer.client.say(line);
    if ("held" in sent) throw new Error("A channel without blocked terms held a message.");
    tally.acknowledged.add(sent.message.uuid);
    tally.ackMs.push(performance.now() - started);
  } catch (err) {
    if (!(err instanceof LivecoreError)) throw err;
    sentAt.delete(line);
    tally.refused.set(err.code, (tally.refused.get(err.code) ?? 0) + 1);
  }
}

/**
 * Sends a heartbeat: only heartbeats count as presence, an open socket doesn't. `visitor` sends it for viewers without an
 * account.
 */
export async function beat(visitor: LivecoreClient, { account, client, deviceId }: Viewer): Promise<void> {
  const body = { stream_id: client.streamId, ...(account ? {} : { device_id: deviceId }) };
  await (account?.client ?? visitor).call("heartbeat", { body });
}

/** The room's position; topics without a log have none. */
function placeIn({ epoch, seq }: { epoch: number | null; seq: number | null }): Place {
  if (epoch === null || seq === null) throw new Error("The room didn't say where it is.");
  return { epoch, seq };
}
