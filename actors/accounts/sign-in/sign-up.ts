import type { ClientSession } from "mongodb";
import type { Clock } from "../../../base/clock.ts";
import { ServiceError } from "../../../contract/errors.ts";
import type { InvitationDoc, Invitations } from "../../../store/mongo/accounts/invitations.ts";
import type { UserDoc } from "../../../store/mongo/accounts/users.ts";
import { groupedCodeHash, isGroupedCode } from "../tokens/grouped-codes.ts";

/** Who may make an account: anybody, whoever has an invitation, or nobody but with an operator's. */
export type SignUpMode = "open" | "invitation" | "closed";

/** What makes a new account admissible. `take` is called in the transaction that makes it. */
type Admission = {
  invitationId: string | null;
  take(user: UserDoc, session: ClientSession): Promise<void>;
};

const ANYBODY: Admission = { invitationId: null, take: async () => undefined };

type Deps = { mode: SignUpMode; invitations: Pick<Invitations, "findUsable" | "use">; clock: Clock };

export function createSignUp({ mode, invitations, clock }: Deps) {
  async function usable(code: string): Promise<InvitationDoc | null> {
    if (!isGroupedCode(code)) return null;
    return invitations.findUsable(groupedCodeHash(code), new Date(clock.now()));
  }

  /**
   * Where nobody may sign up, the operator's own codes work all the same, since the first account has to be made somehow. Any other is
   * answered as none is, so that nothing can be tried out.
   */
  async function invited(code: string | null): Promise<InvitationDoc> {
    const found = code === null ? null : await usable(code);
    if (mode === "closed") {
      if (found?.createdBy === null) return found;
      throw new ServiceError("sign_up_closed");
    }
    if (code === null) throw new ServiceError("invitation_required");
    if (!found) throw new ServiceError("invitation_invalid");
    return found;
  }

  return {
    /** Throws `sign_up_closed`; for what comes before the account's name and code are known. */
    requireOpen(): void {
      if (mode === "closed") throw new ServiceError("sign_up_closed");
    },

    /**
     * Comes before whatever costs time or says which names and addresses have accounts. Throws `sign_up_closed`,
     * `invitation_required`, `invitation_invalid`; `take` throws the last one when others have used the invitation up meanwhile.
     */
    async admit(code: string | null): Promise<Admission> {
      if (mode === "open") return ANYBODY;
      const { _id } = await invited(code);
      return {
        invitationId: _id,
        async take(user, session) {
          if (!(await invitations.use(_id, user, session))) throw new ServiceError("invitation_invalid");
        },
      };
    },
  };
}

export type SignUp = ReturnType<typeof createSignUp>;
