import { setStaff } from "../../actors/accounts/staff/staff.ts";
import { createEnrolment, type NewTwoFactor } from "../../actors/accounts/two-factor/enrolment.ts";
import { createSealing } from "../../actors/keys/sealing.ts";
import { createMailRequests } from "../../actors/mail/mails.ts";
import { createAudit, OPERATOR } from "../../base/audit.ts";
import { processClock } from "../../base/clock.ts";
import { ServiceError } from "../../contract/errors.ts";
import { usersIn } from "../../store/mongo/accounts/users.ts";
import { connectMongo, type Mongo } from "../../store/mongo/driver/connect.ts";
import type { Config } from "../processes/config/config.ts";
import { commandLogger } from "../processes/process/logger.ts";
import { followMongoTime } from "../processes/process/required-clocks.ts";
import { runCommand } from "./command.ts";
import { INVITE_USAGE, type InviteOrder, invite, inviteOrderOf } from "./invite.ts";
import { printable } from "./printable.ts";

const USAGE = `Usage: npm run staff -- grant <username> [--totp] | revoke <username> | disable-two-factor <username>
       npm run staff -- ${INVITE_USAGE}`;

const ACTS = ["grant", "revoke", "disable-two-factor"] as const;
type AccountOrder = { act: (typeof ACTS)[number]; username: string; withSecret: boolean };
type Order = AccountOrder | InviteOrder;

function orderOf([word, ...args]: string[]): Order | null {
  return word === "invite" ? inviteOrderOf(args) : accountOrderOf(word, args);
}

function accountOrderOf(
  word: string | undefined,
  [username, option, ...rest]: string[],
): AccountOrder | null {
  const act = ACTS.find((known) => known === word);
  if (!act || !username || rest.length > 0) return null;
  if (option !== undefined && !(act === "grant" && option === "--totp")) return null;
  return { act, username, withSecret: option !== undefined };
}

/** `isOn`: the account already had two-factor authentication, which staff need to act. `given`: what this command enrolled. */
type Outcome = { isOn: boolean; given: NewTwoFactor | null };

async function onMongo<T>(
  { mongo: { url, database } }: Config,
  act: (mongo: Mongo) => Promise<T>,
): Promise<T> {
  const mongo = await connectMongo({ url, database, selectionTimeoutMs: 5_000, maxPoolSize: 2 });
  try {
    await followMongoTime(mongo.db);
    return await act(mongo);
  } finally {
    await mongo.close();
  }
}

async function change(mongo: Mongo, { secrets }: Config, order: AccountOrder): Promise<Outcome | null> {
  const audit = createAudit(commandLogger("staff"));
  try {
    const users = usersIn(mongo.db);
    const now = new Date(processClock.now());
    if (order.act !== "disable-two-factor")
      await setStaff({ mongo, audit, now }, order.username, order.act === "grant", OPERATOR);
    const user = await users.findByUsername(order.username.toLowerCase());
    if (!user || user.status === "deleted") return null;
    const isOn = Boolean(user.twoFactorEnabledAt);
    const sealing = createSealing(secrets.masterKey.reveal());
    const clock = processClock;
    const mails = createMailRequests({ mongo, clock, sealing });
    const enrolment = createEnrolment({ mongo, sealing, mails, audit, clock });
    if (order.act === "disable-two-factor") await enrolment.disable(user, OPERATOR);
    const given = order.withSecret && !isOn ? await enrolment.enableByOperator(user) : null;
    return { isOn, given };
  } catch (err) {
    if (err instanceof ServiceError) return null;
    throw err;
  }
}

function say({ act, username, withSecret }: AccountOrder, { isOn, given }: Outcome): void {
  const name = printable(username);
  if (act === "disable-two-factor") {
    const isOff = `${name} signs in without a second factor now. Sessions that there are go on.`;
    console.log(isOn ? isOff : `${name} has no second factor.`);
    return;
  }
  console.log(act === "grant" ? `${name} is staff now.` : `${name} isn't staff any more.`);
  if (act === "revoke") return;
  if (given) {
    console.log(
      [
        "Signing in takes a second factor from now on. This is shown once:",
        `  secret          ${given.secret}`,
        `  authenticator   ${given.uri}`,
        `  recovery codes  ${given.recoveryCodes.join(" ")}`,
      ].join("\n"),
    );
  } else if (withSecret) {
    console.log("The account has a second factor already, which stays as it is.");
  } else if (!isOn) {
    console.log(
      `Staff act with two factors only: ${name} sets one up in the account's own settings, or \`grant ${name} --totp\` gives one.`,
    );
  }
}

async function run(config: Config, order: Order): Promise<number> {
  if (order.act === "invite") return onMongo(config, (mongo) => invite(mongo, config, order));
  const outcome = await onMongo(config, (mongo) => change(mongo, config, order));
  if (outcome) say(order, outcome);
  else console.error(`There is no user called ${printable(order.username)}.`);
  return outcome ? 0 : 1;
}

await runCommand({ usage: USAGE, orderOf }, run);
