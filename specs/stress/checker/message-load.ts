import { setTimeout as pause } from "node:timers/promises";
import { LivecoreError } from "../../../clients/typescript/src/rest/errors.ts";
import type { Api } from "../../support/api.ts";
import { throughBrokenConnections } from "../../support/steady-chat.ts";
import { hasFields } from "../parent.ts";
import type { RoomRecord } from "./room-record.ts";
import type { Watcher } from "./watcher.ts";

/** Sends one message and resolves with its uuid once it is acknowledged; rejects with a LivecoreError when refused. */
export type Speaker = { record: RoomRecord; say(content: string, nonce: string): Promise<string> };

export function bySocket(watcher: Watcher): Speaker {
  return {
    record: watcher.record,
    async say(content, nonce) {
      const sent = await watcher.client.say(content, { nonce });
      if ("held" in sent) throw new Error("a room without blocked terms held a message");
      return sent.message.uuid;
    },
  };
}

export function byRest(api: Api, record: RoomRecord): Speaker {
  const params = { stream_id: record.streamId };
  return {
    record,
    async say(content, nonce) {
      const body = { content, nonce };
      const { status, code, details, ...answer } = await throughBrokenConnections(() =>
        api.call("sendChatMessage", { params, body }),
      );
      if (status === 201 && hasFields(answer.body, "uuid")) return String(answer.body.uuid);
      if (code === "unavailable" || code === "rate_limited")
        throw new LivecoreError({ code, message: code, details }, status);
      throw new Error(`a message was refused: ${status} ${code} ${JSON.stringify(details)}`);
    },
  };
}

const TICK_MS = 10;
/** With more pending messages the service doesn't keep up, and the run is meaningless. */
const MAX_WAITING = 3_000;
const MAX_BACKOFF_MS = 500;

/**
 * Sends messages at a constant rate (open loop), the speakers in turn. A transient refusal (`unavailable`, `rate_limited`) is
 * retried with the same nonce until it is acknowledged.
 */
export class MessageLoad {
  readonly ackMs: number[] = [];
  /** Number of retries by refusal code. */
  readonly refusals = new Map<string, number>();
  sent = 0;
  /** In order of the answers; ms of performance.now(). */
  readonly #acks: { sentAt: number; at: number }[] = [];
  readonly #waiting = new Set<Promise<void>>();
  readonly #failures: unknown[] = [];
  readonly #timer: NodeJS.Timeout;
  readonly #speakers: readonly Speaker[];
  readonly #name: string;

  constructor({
    speakers,
    perSecond,
    name = "m",
  }: { speakers: readonly Speaker[]; perSecond: number; name?: string }) {
    this.#speakers = speakers;
    this.#name = name;
    const startedAt = performance.now();
    this.#timer = setInterval(() => {
      const due = Math.floor(((performance.now() - startedAt) / 1_000) * perSecond);
      while (this.sent < due && this.#waiting.size < MAX_WAITING) this.#sendNext();
    }, TICK_MS);
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /** When the first message that was sent at or after `at` was acknowledged; null while none was. */
  firstAckAfter(at: number): number | null {
    return this.#acks.find(({ sentAt }) => sentAt >= at)?.at ?? null;
  }

  /** Resolves when all messages are acknowledged; rejects when one couldn't be. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all(this.#waiting);
    const [failure] = this.#failures;
    if (failure !== undefined) throw failure;
  }

  #sendNext(): void {
    const number = this.sent++;
    const speaker = this.#speakers[number % this.#speakers.length];
    if (!speaker) throw new Error("There is no speaker");
    const sending = this.#send(speaker, `${this.#name} ${number}`)
      .catch((err: unknown) => void this.#failures.push(err))
      .finally(() => void this.#waiting.delete(sending));
    this.#waiting.add(sending);
  }

  async #send({ record, say }: Speaker, content: string): Promise<void> {
    const nonce = globalThis.crypto.randomUUID();
    const begun = performance.now();
    for (;;) {
      const sentAt = performance.now();
      try {
        record.acknowledged.add(await say(content, nonce));
        this.#acks.push({ sentAt, at: performance.now() });
        this.ackMs.push(performance.now() - begun);
        return;
      } catch (err) {
        await this.#backOff(err);
      }
    }
  }

  async #backOff(err: unknown): Promise<void> {
    if (!(err instanceof LivecoreError) || (err.code !== "unavailable" && err.code !== "rate_limited"))
      throw err;
    this.refusals.set(err.code, (this.refusals.get(err.code) ?? 0) + 1);
    const wait = err.retryAfterMs ?? MAX_BACKOFF_MS;
    await pause(Math.min(wait, MAX_BACKOFF_MS));
  }
}
