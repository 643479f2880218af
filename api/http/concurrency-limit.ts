import type { Response } from "express";
import { ControlledDelay, Overloaded } from "../../base/controlled-delay.ts";

/** Waiting requests, at most: the memory that they may take. */
const MAX_WAITING = 5_000;

/** At twice the load that is served, a request waits half of this when it ends. */
const BURST_MS = 400;

/** A request's slot. Each call does nothing where it is already so. */
export type Slot = {
  /** Null if there is a slot; else it waits for one. Rejects with `unavailable` when that takes too long, or the client has gone. */
  take(): Promise<void> | null;
  free(): void;
};

/** For what needs none. */
export const NO_SLOT: Slot = { take: () => null, free: () => undefined };

type Waiting = { since: number; begin(): void; refuse(): void };

/**
 * Bounds how many requests are worked on at the same time; others wait in the order of their arrival, at most as long as
 * ControlledDelay lets them. A queue of the database's pool would hold them instead, without an order and for longer.
 */
export class ConcurrencyLimit {
  readonly #slots: number;
  readonly #onRefused: (refusal: Overloaded) => void;
  readonly #onTaken: () => void;
  readonly #delay = new ControlledDelay(BURST_MS);
  /** Both in the order of arrival. Those who had a slot before arrived before all the others. */
  readonly #returning = new Set<Waiting>();
  readonly #arriving = new Set<Waiting>();
  #taken = 0;

  constructor(options: { slots: number; onRefused(refusal: Overloaded): void; onTaken(): void }) {
    this.#slots = options.slots;
    this.#onRefused = options.onRefused;
    this.#onTaken = options.onTaken;
  }

  get taken(): number {
    return this.#taken;
  }

  get waiting(): number {
    return this.#returning.size + this.#arriving.size;
  }

  /** A slot for one request, which isn't taken yet. It stops waiting when `client` is closed; null for work that several wait for. */
  slot(client: Response | null): Slot {
    let isTaken = false;
    let hadOne = false;
    let waitedMs = 0;
    const taken = () => {
      isTaken = true;
      hadOne = true;
      this.#onTaken();
    };
    return {
      take: () => {
        if (isTaken) return null;
        if (this.#taken < this.#slots) {
          this.#taken++;
          taken();
          return null;
        }
        const since = performance.now();
        return this.#wait(client, hadOne, waitedMs).then(() => {
          waitedMs += performance.now() - since;
          taken();
        });
      },
      free: () => {
        if (!isTaken) return;
        isTaken = false;
        this.#taken--;
        this.#admit();
      },
    };
  }

  /** `waitedMs`: what the request has waited before. */
  #wait(client: Response | null, isReturning: boolean, waitedMs: number): Promise<void> {
    const queue = isReturning ? this.#returning : this.#arriving;
    return new Promise((resolve, reject) => {
      const leave = () => {
        queue.delete(waiting);
        clearTimeout(late);
        client?.off("close", gone);
        if (this.waiting === 0) this.#delay.emptied();
      };
      const gone = () => {
        leave();
        reject(new Overloaded());
      };
      const waiting: Waiting = {
        since: performance.now() - waitedMs,
        begin: () => {
          leave();
          resolve();
        },
        refuse: () => {
          leave();
          const refusal = new Overloaded();
          this.#onRefused(refusal);
          reject(refusal);
        },
      };
      const late = setTimeout(waiting.refuse, this.#delay.maxWaitMs - waitedMs);
      if (this.waiting >= MAX_WAITING) return waiting.refuse();
      queue.add(waiting);
      client?.once("close", gone);
    });
  }

  /** Refuses what has waited for too long only as far as others wait for the slots that are free. */
  #admit(): void {
    const { maxWaitMs } = this.#delay;
    for (const queue of [this.#returning, this.#arriving]) {
      for (const waiting of queue) {
        if (this.#taken >= this.#slots) {
          this.#delay.served(this.waiting);
          return;
        }
        const isOverdue = performance.now() - waiting.since > maxWaitMs;
        if (isOverdue && this.waiting > this.#slots - this.#taken) {
          waiting.refuse();
        } else {
          this.#taken++;
          waiting.begin();
        }
      }
    }
  }
}
