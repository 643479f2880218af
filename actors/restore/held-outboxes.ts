import { type Audit, OPERATOR } from "../../base/audit.ts";
import type { Clock } from "../../base/clock.ts";
import type { Mongo } from "../../store/mongo/driver/connect.ts";
import type { HeldRow, holdingIn } from "../../store/mongo/driver/held-rows.ts";
import { platformCallsIn } from "../../store/mongo/monetization/platform-calls.ts";
import { mailsIn } from "../../store/mongo/notifications/mails.ts";
import { notificationDeliveriesIn } from "../../store/mongo/notifications/notification-deliveries.ts";
import { pushesIn } from "../../store/mongo/notifications/pushes.ts";

/** What goes out of the service and waited in the backup; it may have gone out since. `notifications` become mails and pushes. */
export const HELD = ["mails", "pushes", "notifications", "calls"] as const;
export type Held = (typeof HELD)[number];

/** Rows shown per outbox. */
const SHOWN = 50;

type Outbox = ReturnType<typeof holdingIn>;

export type Waiting = { what: Held; count: number; first: HeldRow[] };

/** What a restore holds, and its release, one by one or all. Safe while the service runs. */
export function heldOutboxesIn({
  mongo: { db },
  audit,
  clock,
}: {
  mongo: Pick<Mongo, "db">;
  audit: Audit;
  clock: Clock;
}) {
  const outboxes: Record<Held, Outbox> = {
    mails: mailsIn(db),
    pushes: pushesIn(db),
    notifications: notificationDeliveriesIn(db),
    calls: platformCallsIn(db),
  };
  const now = () => new Date(clock.now());

  return {
    /** Holds all that wait now. Idempotent. */
    async hold(): Promise<void> {
      const at = now();
      await Promise.all(HELD.map((what) => outboxes[what].hold(at)));
    },

    waiting: (): Promise<Waiting[]> =>
      Promise.all(
        HELD.map(async (what) => {
          const [count, first] = await Promise.all([outboxes[what].countHeld(), outboxes[what].held(SHOWN)]);
          return { what, count, first };
        }),
      ),

    /** `ids` null: all. Returns how many were held. */
    async release(what: Held, ids: readonly string[] | null): Promise<number> {
      const count = await outboxes[what].release(ids, now());
      audit("outbox.released", OPERATOR, { what, count });
      return count;
    },

    /** They never go out. */
    async drop(what: Held, ids: readonly string[] | null): Promise<number> {
      const count = await outboxes[what].drop(ids, now());
      audit("outbox.dropped", OPERATOR, { what, count });
      return count;
    },
  };
}

export type HeldOutboxes = ReturnType<typeof heldOutboxesIn>;
