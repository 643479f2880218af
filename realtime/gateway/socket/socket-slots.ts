import { addressKey } from "../../../base/addresses.ts";
import { rateLimited, ServiceError } from "../../../contract/errors.ts";
import type { Allowance } from "../../../contract/rate-limit-headers.ts";
import type { Owner } from "../../../store/redis/keys.ts";
import { LOCAL_SHARE } from "../../../store/redis/rate-limits.ts";
import type { SocketTaken } from "../../../store/redis/scripts/sockets.ts";
import type { GatewayLimits } from "./limits.ts";
import type { SocketCounts } from "./socket-counts.ts";

const WINDOW_MS = 10_000;
/** Slots may become free at any moment. */
const FULL_RETRY_MS = 5_000;
/** Maximum of addresses whose upgrades this worker counts, or refuses, by itself. */
const MAX_WINDOWS = 10_000;

/** One socket's places in the limits of its address and its user; released once. */
export type SocketSlot = {
  /** What is left of the address's upgrades. */
  allowance: Allowance;
  /** Throws rate_limited. */
  takeOfUser(userId: string): Promise<void>;
  /** Idempotent. */
  release(): void;
};

export type SocketSlots = ReturnType<typeof createSocketSlots>;

/** Limits who may open a socket: upgrades and sockets per address, sockets per user, each over all workers. */
export function createSocketSlots({ counts, limits }: { counts: SocketCounts; limits: GatewayLimits }) {
  /** Windows of addresses whose upgrades are used up, and of all addresses while Redis is unavailable. */
  const windows = new Map<Owner, { upgrades: number; endsAt: number }>();

  function windowOf(owner: Owner) {
    const now = performance.now();
    const known = windows.get(owner);
    if (known && known.endsAt > now) return known;
    windows.delete(owner);
    return null;
  }

  function note(owner: Owner, upgrades: number, leftMs: number) {
    const [oldest] = windows.keys();
    if (windows.size >= MAX_WINDOWS && oldest !== undefined) windows.delete(oldest);
    const window = { upgrades, endsAt: performance.now() + leftMs };
    windows.set(owner, window);
    return window;
  }

  function allowanceOf(upgrades: number, leftMs: number): Allowance {
    return {
      bucket: "upgrades",
      limit: limits.upgradesPerIp,
      remaining: Math.max(0, limits.upgradesPerIp - upgrades),
      resetSeconds: Math.ceil(leftMs / 1_000),
      windowSeconds: WINDOW_MS / 1_000,
    };
  }

  /** Counts on this worker alone, while Redis is unavailable. */
  function takeLocally(owner: Owner): SocketTaken {
    const window = windowOf(owner) ?? note(owner, 0, WINDOW_MS);
    window.upgrades++;
    const most = Math.max(1, Math.ceil(limits.upgradesPerIp * LOCAL_SHARE));
    const isFull = counts.here(owner) > limits.socketsPerIp;
    const refusal = window.upgrades > most ? "upgrades" : isFull ? "sockets" : null;
    return {
      refusal,
      upgrades: window.upgrades,
      upgradesLeftMs: window.endsAt - performance.now(),
      workers: [],
    };
  }

  return {
    /** Counts an upgrade and takes a slot of the address. Throws rate_limited. */
    async take(ip: string): Promise<SocketSlot> {
      const owner: Owner = `a:${addressKey(ip)}`;
      const used = windowOf(owner);
      // An address that has used up its upgrades costs no further call.
      if (used && used.upgrades > limits.upgradesPerIp) {
        throw tooManyUpgrades(limits, used.endsAt - performance.now());
      }
      const shared = await counts.take(owner, {
        most: limits.socketsPerIp,
        upgrades: { most: limits.upgradesPerIp, windowMs: WINDOW_MS },
      });
      const taken = shared ?? takeLocally(owner);
      if (!shared && taken.refusal !== null) counts.release(owner);
      if (taken.refusal === "upgrades") {
        if (shared) note(owner, taken.upgrades, taken.upgradesLeftMs);
        throw tooManyUpgrades(limits, taken.upgradesLeftMs);
      }
      if (taken.refusal === "sockets") throw tooManySockets("sockets_per_ip", limits.socketsPerIp);

      const owners: Owner[] = [owner];
      return {
        allowance: allowanceOf(taken.upgrades, taken.upgradesLeftMs),
        async takeOfUser(userId) {
          const user: Owner = `u:${userId}`;
          const most = limits.socketsPerUser;
          const byUser = await counts.take(user, { most, upgrades: null });
          if (byUser?.refusal) throw tooManySockets("sockets_per_user", most);
          owners.push(user);
          if (!byUser && counts.here(user) > most) throw tooManySockets("sockets_per_user", most);
        },
        release() {
          for (const one of owners.splice(0)) counts.release(one);
        },
      };
    },
  };
}

function tooManyUpgrades({ upgradesPerIp }: GatewayLimits, leftMs: number): ServiceError {
  const limit = { bucket: "upgrades", limit: upgradesPerIp, windowSeconds: WINDOW_MS / 1_000 };
  return rateLimited(limit, leftMs);
}

function tooManySockets(bucket: string, limit: number): ServiceError {
  return new ServiceError("rate_limited", { bucket, limit, retry_after_ms: FULL_RETRY_MS });
}
