import { ServiceError } from "../../specs/contract/errors.ts";
import type { Clock } from "../../store/clock.ts";
import { isUnavailable } from "../../store/failures/unavailable.ts";
import type { Held, HeldChecks } from "./held-checks.ts";
import type { Identity } from "./identity-types.ts";
import { TICKET_SECONDS, type TicketHolder, type Tickets } from "./tickets.ts";

type Deps = HeldChecks & {
  tickets: Tickets;
  withNewName(holder: TicketHolder): TicketHolder;
  clock: Clock;
};

/** Tickets with what is known of the session or token by which they were got. */
export function createHeldTickets(
  deps: Deps,
): Pick<Identity, "issueTicket" | "holderOfTicket" | "redeemTicket"> {
  const { tickets, requireLasting, requireUnmarked, withNewName, clock } = deps;
  const hasExpired = ({ grant }: Held): boolean => grant?.expiresAt != null && grant.expiresAt <= clock.now();

  /** Null of a session that `require` refuses. */
  async function holderUnless(
    holder: TicketHolder | null,
    require: (held: Held) => Promise<void>,
  ): Promise<TicketHolder | null> {
    if (!holder || hasExpired(holder)) return null;
    try {
      await require(holder);
      return withNewName(holder);
    } catch (err) {
      if (err instanceof ServiceError && !isUnavailable(err)) return null;
      throw err;
    }
  }

  return {
    async issueTicket(caller) {
      const ticket = await tickets.issue(caller);
      await requireUnmarked(caller);
      return { ticket, expiresInSeconds: TICKET_SECONDS };
    },
    holderOfTicket: async (ticket) =>
      holderUnless(await tickets.find(ticket), (holder) => requireLasting(holder, true)),
    redeemTicket: async (ticket) => holderUnless(await tickets.redeem(ticket), requireUnmarked),
  };
}
