import type { ClientSession } from "mongodb";
import type { Actor, Audit } from "../../../base/audit.ts";
import type { Clock } from "../../../base/clock.ts";
import { DAY_MS } from "../../../base/durations.ts";
import { newId } from "../../../base/ids.ts";
import { invalid, ServiceError } from "../../../contract/errors.ts";
import { type InvitationDoc, invitationsIn } from "../../../store/mongo/accounts/invitations.ts";
import type { Mongo } from "../../../store/mongo/driver/connect.ts";
import { globalSetIn } from "../../../store/mongo/driver/global-set.ts";
import type { Range } from "../../../store/mongo/driver/page.ts";
import { retryingConflicts } from "../../../store/mongo/driver/retried-transaction.ts";
import type { AuditTrail } from "../standing/audit-trail.ts";
import { groupedCodeHash, newGroupedCode } from "../tokens/grouped-codes.ts";

const MAX_INVITATIONS = 1_000;
const DEFAULT_MS = 7 * DAY_MS;
export const MAX_INVITATION_DAYS = 366;

type Deps = { mongo: Mongo; auditTrail: Pick<AuditTrail, "transact">; clock: Clock };

type NewInvitation = {
  maxUses?: number | undefined;
  expiresAt?: Date | undefined;
  note?: string | undefined;
};

/** Invitations to make an account, by staff or, at the terminal, by the operator. */
export function createInvitations({ mongo, auditTrail, clock }: Deps) {
  const invitations = invitationsIn(mongo.db);
  const invitationSet = globalSetIn(mongo.db, "invitations");

  return {
    /** Only this answer contains the code. Throws `limit_reached`, `validation_failed`. */
    async create(
      { maxUses = 1, expiresAt, note }: NewInvitation,
      by: Actor,
    ): Promise<{ doc: InvitationDoc; code: string }> {
      const now = new Date(clock.now());
      const code = newGroupedCode();
      const doc: InvitationDoc = {
        _id: newId(),
        hash: groupedCodeHash(code),
        note: note ?? null,
        maxUses,
        uses: 0,
        createdBy: by.userId,
        createdAt: now,
        expiresAt: expiresAt === undefined ? new Date(now.getTime() + DEFAULT_MS) : checked(expiresAt, now),
      };
      const write = async (session: ClientSession, note: Audit): Promise<void> => {
        // What is counted mustn't change until the commit.
        await invitationSet.raise(session);
        if ((await invitations.countLeft(now, MAX_INVITATIONS, session)) >= MAX_INVITATIONS)
          throw new ServiceError("limit_reached", { limit: MAX_INVITATIONS });
        await invitations.insert(doc, session);
        note("invitation.created", by, { invitationId: doc._id });
      };
      // The first two concurrent ones ever may both create the set's document.
      await retryingConflicts(() => auditTrail.transact(write));
      return { doc, code };
    },

    page: (range: Range) => invitations.page(new Date(clock.now()), range),

    /** Throws `not_found`. Accounts that were made by it stay. */
    async revoke(invitationId: string, by: Actor): Promise<void> {
      await auditTrail.transact(async (session, note) => {
        if (!(await invitations.remove(invitationId, session))) throw new ServiceError("not_found");
        note("invitation.revoked", by, { invitationId });
      });
    },
  };
}

/** A leap second is a valid date-time by its form, but an invalid `Date`: its `left` is NaN, which is refused here. */
function checked(expiresAt: Date, now: Date): Date {
  const left = expiresAt.getTime() - now.getTime();
  if (left > 0 && left <= MAX_INVITATION_DAYS * DAY_MS) return expiresAt;
  const [rule, message] =
    left <= 0 ? ["minimum", "must be in the future"] : ["maximum", "must be within a year"];
  throw invalid({ path: "/body/expires_at", rule, message });
}
