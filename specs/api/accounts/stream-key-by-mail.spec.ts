// @waits: for broadcasts to end.
import { expect } from "chai";
import { movableClock } from "../../support/clock.ts";
import { eventually } from "../../support/eventually.ts";
import type { Channel } from "../../support/given-channels.ts";
import { withKey } from "../../support/given-channels.ts";
import { type Mailbox, mailboxOf, tokenIn } from "../../support/mailbox.ts";
import { setUpWorld } from "../../support/set-up-world.ts";

const PASSWORD = "a long phrase for specs";
const ANOTHER = "eleven owls above the mill";

describe("A stream key that somebody else has read", function () {
  this.timeout(60_000);
  const { world, given } = setUpWorld({ clock: movableClock(), sendsMails: true });
  let mailbox: Mailbox;
  before(async () => {
    mailbox = mailboxOf(world);
  });

  const addressOf = ({ owner }: Channel) => `${owner.username}@example.com`;
  const linkOf = async (address: string, subject: RegExp) => tokenIn(await mailbox.next(address, subject));

  /** The broadcast is over, the old key refused, and the new one is the owner's and lets in. */
  async function expectAnotherKey({ owner, stream, at }: Channel): Promise<void> {
    const isLive = async () => (await owner.api.ok("getStream", { params: at })).is_live;
    await eventually(async () => !(await isLive()), { what: "the broadcast ends" });
    expect((await given.hook("publish", { key: stream.stream_key })).status).equal(403);
    const body = { login: owner.username, password: ANOTHER };
    const { access_token: token = "" } = await world.api
      .with({ "x-auth-mode": "bearer" })
      .ok("login", { body });
    // A key is rotated a moment after its cause, and there may have been two.
    await eventually(async () => {
      const { stream_key: key } = withKey(await world.api.as({ token }).ok("getMyStream"));
      expect(key).not.equal(stream.stream_key);
      expect((await given.hook("publish", { key, clientId: "2" })).status).equal(200);
    });
    const rotated = world.audited.filter(
      ({ event, streamId }) => event === "stream_key.rotated" && streamId === stream.id,
    );
    expect(rotated.map(({ userId }) => userId)).include(owner.id);
  }

  async function reset(channel: Channel): Promise<void> {
    const token = await linkOf(addressOf(channel), /Reset/);
    await world.api.ok("resetPassword", { body: { token, password: ANOTHER } });
  }

  it("is of no use after a reset of the password by mail, also for a broadcast under way", async () => {
    const channel = await given.liveChannel();
    await world.api.ok("forgotPassword", { body: { email: addressOf(channel) } });

    await reset(channel);

    await expectAnotherKey({ ...channel, owner: { ...channel.owner, api: world.api } });
  });

  it("is of no use after a change of address is undone", async () => {
    const channel = await given.liveChannel();
    const { owner } = channel;
    await world.api.ok("verifyEmail", { body: { token: await linkOf(addressOf(channel), /Verify/) } });
    const email = `moved_${addressOf(channel)}`;
    await owner.api.ok("updateMe", { body: { email, password: PASSWORD } });
    await world.api.ok("verifyEmail", { body: { token: await linkOf(email, /Confirm/) } });
    const token = await linkOf(addressOf(channel), /address of your account was changed/);

    await world.api.ok("undoEmailChange", { body: { token } });

    const isLive = async () => (await world.api.ok("getStream", { params: channel.at })).is_live;
    await eventually(async () => !(await isLive()), { what: "the broadcast ends" });
    await reset(channel);
    await expectAnotherKey({ ...channel, owner: { ...owner, api: world.api } });
  });
});
