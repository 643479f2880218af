import type { Clock } from "../../base/clock.ts";
import { newId } from "../../base/ids.ts";
import { ServiceError } from "../../contract/errors.ts";
import type { Mongo } from "../../store/mongo/driver/connect.ts";
import { type SupportRequestDoc, supportRequestsIn } from "../../store/mongo/safety/support-requests.ts";
import type { AuditTrail } from "../accounts/public.ts";
import type { ByStaff } from "./sanctions.ts";

type Deps = { mongo: Mongo; auditTrail: AuditTrail; clock: Clock };

type NewSupport = Pick<SupportRequestDoc, "kind" | "email" | "subject" | "message" | "dmca" | "userId">;

/** Support requests to the operator. */
export function createSupport({ mongo, auditTrail, clock }: Deps) {
  const requests = supportRequestsIn(mongo.db);
  const now = () => new Date(clock.now());

  async function require(requestId: string): Promise<SupportRequestDoc> {
    const found = await requests.find(requestId);
    if (!found) throw new ServiceError("not_found");
    return found;
  }

  return {
    async request(given: NewSupport): Promise<SupportRequestDoc> {
      const at = now();
      const own = { note: null, handledBy: null, createdAt: at, updatedAt: at };
      const doc: SupportRequestDoc = { _id: newId(), status: "open", ...given, ...own };
      await requests.insert(doc);
      return doc;
    },

    page: requests.page,
    queue: requests.queue,
    /** Throws `not_found`. */
    require,

    /** Of two concurrent identical changes, one is refused. Throws `invalid_state`, `not_found`. */
    async handle(
      requestId: string,
      { status, note }: { status: "answered" | "closed"; note: string | null },
      by: ByStaff,
    ): Promise<SupportRequestDoc> {
      const from = status === "answered" ? (["open"] as const) : (["open", "answered"] as const);
      const set = { status, handledBy: by.userId, updatedAt: now(), ...(note === null ? {} : { note }) };
      const changed = await auditTrail.transact(async (session, note) => {
        const handled = await requests.change(requestId, [...from], set, session);
        if (handled) note("support.handled", by, { supportId: requestId, action: status });
        return handled;
      });
      if (!changed) throw new ServiceError("invalid_state", { status: (await require(requestId)).status });
      return changed;
    },
  };
}
