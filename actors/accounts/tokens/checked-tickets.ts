import type { Clock } from "../../../base/clock.ts";
import { isUnavailable } from "../../../base/failures/unavailable.ts";
import { ServiceError } from "../../../contract/errors.ts";
import type { SignedIn } from "./caller.ts";
import type { CredentialChecks } from "./credential-checks.ts";
import { TICKET_SECONDS, type TicketHolder, type Tickets } from "./tickets.ts";
import type { HeldCredential } from "./verified-sessions.ts";

type Deps = CredentialChecks & {
  tickets: Tickets;
  withNewName(holder: TicketHolder): TicketHolder;
  clock: Clock;
};

/** Tickets, checked against the session or token that obtained them. */
export type CheckedTickets = {
  issueTicket(caller: SignedIn): Promise<{ ticket: string; expiresInSeconds: number }>;
  /** Null when unknown, used or expired, or when its session has ended. Doesn't use the ticket up. Throws unavailable. */
  holderOfTicket(ticket: string): Promise<TicketHolder | null>;
  /** The same, but uses the ticket up: of several requests only one gets the holder. Throws unavailable. */
  redeemTicket(ticket: string): Promise<TicketHolder | null>;
};

export function createCheckedTickets(deps: Deps): CheckedTickets {
  const { tickets, requireActive, requireUnmarked, withNewName, clock } = deps;
  const hasExpired = ({ grant }: HeldCredential): boolean =>
    grant?.expiresAt != null && grant.expiresAt <= clock.now();

  /** Null when the ticket's session is expired or `require` refuses it. */
  async function holderIfValid(
    holder: TicketHolder | null,
    require: (held: HeldCredential) => Promise<void>,
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
      holderIfValid(await tickets.find(ticket), (holder) => requireActive(holder, true)),
    redeemTicket: async (ticket) => holderIfValid(await tickets.redeem(ticket), requireUnmarked),
  };
}
