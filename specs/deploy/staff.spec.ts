import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { groupedCodeHash } from "../../actors/accounts/tokens/grouped-codes.ts";
import { DAY_MS } from "../../base/durations.ts";
import { secretIn } from "../../deploy/development/demo/make-staff.ts";
import { invitationsCollection } from "../../store/mongo/accounts/invitations.ts";
import { eventually } from "../support/eventually.ts";
import { type Channel, type Given, givenChannels, type Person } from "../support/given-channels.ts";
import { operate } from "../support/operate.ts";
import { givenTwoFactor } from "../support/two-factor.ts";
import { openWorld, type World } from "../support/world.ts";

const pick = ({ event, address, userId, requestId, accountId }: Record<string, unknown>) => ({
  event,
  address,
  userId,
  requestId,
  accountId,
});

describe("npm run staff", function () {
  this.timeout(60_000);
  let world: World;
  let home: string;
  let channel: Channel;
  let person: Person;
  let given: Given;

  before(async () => {
    home = mkdtempSync(join(tmpdir(), "livecore-staff-"));
    world = await openWorld();
    given = givenChannels(world);
    channel = await given.channel();
    person = await given.user();
  });
  after(async () => {
    await world?.close();
    rmSync(home, { recursive: true, force: true });
  });

  async function staff(...args: string[]): Promise<{ code: number; output: string; audit: unknown[] }> {
    const { code, stdout, stderr } = await operate("deploy/commands/staff", args, {
      home,
      database: world.core.mongo.db.databaseName,
    });
    const lines = stderr.split("\n").filter((line) => line.includes('"audit":true'));
    const messages = stderr.split("\n").filter((line) => !line.includes('"audit":true'));
    const audit = lines.map((line) => pick(JSON.parse(line)));
    return { code, output: stdout + messages.join("\n"), audit };
  }

  const roleOf = async ({ api }: Person) => (await api.ok("getChatRoom", { params: channel.at })).role;

  it("makes somebody staff, and takes it back", async () => {
    expect(await roleOf(person)).equal(null);

    const granted = await staff("grant", person.username);

    const by = { address: null, userId: null, requestId: null };
    expect(granted).deep.equal({
      code: 0,
      output: `${person.username} is staff now.\nStaff act with two factors only: ${person.username} sets one up in the account's own settings, or \`grant ${person.username} --totp\` gives one.\n`,
      audit: [{ event: "staff.granted", ...by, accountId: person.id }],
    });
    expect(await roleOf(person)).equal(null);
    await givenTwoFactor(world.core, person.api);
    expect(await roleOf(person)).equal("staff");

    const revoked = await staff("revoke", person.username);

    expect(revoked).deep.equal({
      code: 0,
      output: `${person.username} isn't staff any more.\n`,
      audit: [{ event: "staff.revoked", ...by, accountId: person.id }],
    });
    expect(await roleOf(person)).equal(null);
  });

  it("gives a second factor for scripts, shown once, which signing in asks for", async () => {
    const one = await given.user();

    const { code, output, audit } = await staff("grant", one.username, "--totp");

    expect(code).equal(0);
    expect(audit.map((line) => Object(line).event)).deep.equal([
      "staff.granted",
      "two_factor.enabled",
      "session.ended",
    ]);
    const codes = /recovery codes +(.+)$/m.exec(output)?.[1]?.split(" ") ?? [];
    expect(codes).length(10);
    await eventually(async () => (await one.api.call("getMe")).code === "invalid_token", {
      what: "the session without a second factor ends",
    });
    const authenticator = { secret: secretIn(output), recoveryCodes: codes };
    const again = await given.signedInAgain({ ...one, authenticator });
    expect((await again.api.call("listReports")).status).equal(200);
    const more = await staff("grant", one.username, "--totp");
    expect(more.output).include("has a second factor already").not.include("secret");
  });

  it("takes a second factor away of which everything was lost", async () => {
    const one = await given.user();
    await givenTwoFactor(world.core, one.api);

    const { code, output, audit } = await staff("disable-two-factor", one.username);

    expect([code, output]).deep.equal([
      0,
      `${one.username} signs in without a second factor now. Sessions that there are go on.\n`,
    ]);
    const by = { address: null, userId: null, requestId: null };
    expect(audit).deep.equal([{ event: "two_factor.disabled", ...by, accountId: one.id }]);
    const again = await given.signedInAgain(one);
    expect((await again.api.call("getMe")).status).equal(200);
    expect((await staff("disable-two-factor", one.username)).output).equal(
      `${one.username} has no second factor.\n`,
    );
  });

  it("prints an invitation once, with which an account can be made", async () => {
    const { code, output, audit } = await staff("invite", "--uses", "3", "--days", "30");

    expect(code).equal(0);
    expect(output).match(
      /^An invitation for 3 accounts, until \d{4}-.*Z\. This is shown once:\n {2}code {2}[a-z0-9-]{27}\n/,
    );
    expect(output).include("SIGN_UP is open: nobody needs it.");
    expect(audit.map((line) => Object(line).event)).deep.equal(["invitation.created"]);
    const [, printed = ""] = /code {2}(\S+)/.exec(output) ?? [];
    const found = await invitationsCollection
      .in(world.core.mongo.db)
      .findOne({ hash: groupedCodeHash(printed) });
    expect(found).include({ maxUses: 3, uses: 0, createdBy: null });
    expect(found?.expiresAt.getTime()).closeTo(Date.now() + 30 * DAY_MS, 60_000);
  });

  it("prints a link to sign up with, whose code no server gets, where accounts take an invitation", async () => {
    const env = { SIGN_UP: "invitation", PUBLIC_URL: "https://live.example" };
    const { stdout } = await operate("deploy/commands/staff", ["invite"], {
      home,
      database: world.core.mongo.db.databaseName,
      env,
    });
    const [, code = ""] = /code {2}(\S+)/.exec(stdout) ?? [];
    expect(code).length(27);
    expect(stdout).include(`  link  https://live.example/sign-up#invitation=${code}\n`);
  });

  it("refuses invitations with more uses or days than there may be", async () => {
    for (const args of [
      ["--uses", "0"],
      ["--uses", "1001"],
      ["--days", "367"],
      ["--days", "-1"],
      ["somebody"],
    ])
      expect((await staff("invite", ...args)).code, args.join(" ")).equal(2);
  });

  it("says that there is no such user", async () => {
    expect(await staff("grant", "nobody_at_all")).deep.equal({
      code: 1,
      output: "There is no user called nobody_at_all.\n",
      audit: [],
    });
  });

  it("spells out in a name what a terminal would obey", async () => {
    const { code, output } = await staff("grant", "eve\u001b[2K\u009b1A\u202enimda");

    expect([code, output]).deep.equal([1, "There is no user called eve\\u001b[2K\\u009b1A\\u202enimda.\n"]);
  });

  it("says how it is used", async () => {
    const { code, output } = await staff("promote", person.username);

    expect(code).equal(2);
    expect(output).include("Usage: npm run staff -- grant <username>");
  });
});
