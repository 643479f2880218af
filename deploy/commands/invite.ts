import { parseArgs } from "node:util";
import type { SignUpMode } from "../../actors/accounts/sign-in/sign-up.ts";
import { createInvitations, MAX_INVITATION_DAYS } from "../../actors/accounts/staff/invitations.ts";
import { createAuditTrail } from "../../actors/accounts/standing/audit-trail.ts";
import { createAudit, OPERATOR } from "../../base/audit.ts";
import { processClock } from "../../base/clock.ts";
import { DAY_MS } from "../../base/durations.ts";
import { ServiceError } from "../../contract/errors.ts";
import type { Mongo } from "../../store/mongo/driver/connect.ts";
import type { Config } from "../processes/config/config.ts";
import { commandLogger } from "../processes/process/logger.ts";

export const INVITE_USAGE = "invite [--uses <1 to 1000>] [--days <1 to 366>]";
const MOST_USES = 1_000;

export type InviteOrder = { act: "invite"; uses: number; days: number };

/** Null for other arguments than the usage has. */
export function inviteOrderOf(args: string[]): InviteOrder | null {
  const options = { uses: { type: "string", default: "1" }, days: { type: "string", default: "7" } } as const;
  try {
    const { values } = parseArgs({ args, options, strict: true, allowPositionals: false });
    const [uses, days] = [upTo(MOST_USES, values.uses), upTo(MAX_INVITATION_DAYS, values.days)];
    return uses === null || days === null ? null : { act: "invite", uses, days };
  } catch {
    return null;
  }
}

function upTo(most: number, text: string): number | null {
  const number = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  return number >= 1 && number <= most ? number : null;
}

const HINTS: Record<SignUpMode, string> = {
  open: "SIGN_UP is open: nobody needs it.",
  invitation: "Send the link, or type the code where an account is made.",
  closed:
    "SIGN_UP is closed: only codes of this command work. Send it as `invitation` to `POST /v1/auth/register`.",
};

/** Makes an invitation and prints its code; returns the exit code. */
export async function invite(mongo: Mongo, config: Config, { uses, days }: InviteOrder): Promise<number> {
  const log = commandLogger("staff");
  const clock = processClock;
  const auditTrail = createAuditTrail({ mongo, audit: createAudit(log), clock, log });
  const expiresAt = new Date(clock.now() + days * DAY_MS);
  try {
    const { code } = await createInvitations({ mongo, auditTrail, clock }).create(
      { maxUses: uses, expiresAt },
      OPERATOR,
    );
    const { signUp } = config.instance;
    const accounts = uses === 1 ? "one account" : `${uses} accounts`;
    const lines = [
      `An invitation for ${accounts}, until ${expiresAt.toISOString()}. This is shown once:`,
      `  code  ${code}`,
      // In the fragment, which servers and their logs don't get.
      ...(signUp === "invitation" ? [`  link  ${config.publicUrl}/sign-up#invitation=${code}`] : []),
      HINTS[signUp],
    ];
    process.stdout.write(`${lines.join("\n")}\n`);
    return 0;
  } catch (err) {
    if (!(err instanceof ServiceError)) throw err;
    process.stderr.write(`${err.message}\n`);
    return 1;
  } finally {
    await auditTrail.idle();
  }
}
