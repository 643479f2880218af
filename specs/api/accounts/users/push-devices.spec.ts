import { randomBytes } from "node:crypto";
import { expect } from "chai";
import { MAX_PUSH_DEVICES } from "../../../../actors/notifications/push/push-devices.ts";
import { OPERATOR } from "../../../../base/audit.ts";
import { shows } from "../../../../contract/coverage/shows.ts";
import type { PushDeviceDoc } from "../../../../store/mongo/notifications/push-devices.ts";
import { movableClock } from "../../../support/clock.ts";
import { setUpWorld } from "../../../support/set-up-world.ts";

describe("devices for push notifications", () => {
  const clock = movableClock();
  const { world, given } = setUpWorld({ clock });

  const newToken = () => `apns-${randomBytes(16).toString("hex")}`;
  const phone = (device_token = newToken()) => ({ body: { device_token, device_type: "ios" as const } });
  const docs = () => world.core.mongo.db.collection<PushDeviceDoc>("push_devices");

  it("are registered once a token, listed, changed and ended", async () => {
    const { api } = await given.user();
    const token = newToken();
    const first = await api.ok("registerDevice", phone(token));
    expect(first).deep.include({ device_token: token, device_type: "ios", notifications_enabled: true });
    shows("default Device.notifications_enabled");
    const [session] = (await api.ok("listSessions")).items;
    expect(first.user_agent).be.a("string").and.equal(session?.user_agent);
    const at = { params: { device_id: first.id } };
    await api.ok("updateDevice", { ...at, body: { notifications_enabled: false } });
    clock.move(60_000);

    const again = await api.ok("registerDevice", phone(token));

    expect(again).include({ id: first.id, notifications_enabled: false });
    expect(Date.parse(again.last_active)).greaterThan(Date.parse(first.last_active));
    const moved = await api.ok("updateDevice", { ...at, body: { device_token: `${token}-next` } });
    expect((await api.ok("listDevices")).items).deep.equal([moved]);
    await api.ok("removeDevice", at);
    expect((await api.ok("listDevices")).total).equal(0);
    expect(await api.call("removeDevice", at)).include({ status: 404, code: "not_found" });
  });

  it("are their owner's alone", async () => {
    const [one, other] = [await given.user(), await given.user()];
    const { id } = await one.api.ok("registerDevice", phone());
    const at = { params: { device_id: id } };

    expect((await other.api.ok("listDevices")).items).deep.equal([]);
    expect(await other.api.call("removeDevice", at)).include({ code: "not_found" });
    const body = { notifications_enabled: false };
    expect(await other.api.call("updateDevice", { ...at, body })).include({ code: "not_found" });
    expect((await one.api.ok("listDevices")).items).deep.include.members([
      { ...(await one.api.ok("listDevices")).items[0], notifications_enabled: true },
    ]);
  });

  it("move to the account that registers the same token, as a registration of its own", async () => {
    const [one, other] = [await given.user(), await given.user()];
    const token = newToken();
    const before = await one.api.ok("registerDevice", phone(token));
    await one.api.ok("updateDevice", {
      params: { device_id: before.id },
      body: { notifications_enabled: false },
    });

    const after = await other.api.ok("registerDevice", phone(token));

    expect((await one.api.ok("listDevices")).total).equal(0);
    expect(after.id).not.equal(before.id);
    expect(after.notifications_enabled).equal(true);
  });

  it("are one account's, also when several register a token at once", async () => {
    const people = await Promise.all(Array.from({ length: 6 }, () => given.user()));
    for (let round = 0; round < 10; round++) {
      const token = newToken();
      await Promise.all(people.map(({ api }) => api.ok("registerDevice", phone(token))));

      const lists = await Promise.all(
        people.map(({ api }) => api.ok("listDevices", { query: { per_page: 50 } })),
      );
      const holders = lists.filter(({ items }) => items.some(({ device_token }) => device_token === token));
      expect(holders, `round ${round}`).lengthOf(1);
    }
  });

  it("end with the session that registered them, by whichever way it ends", async () => {
    const person = await given.user();
    const { api } = person;
    const [out, removed] = [(await given.signedInAgain(person)).api, (await given.signedInAgain(person)).api];
    await out.ok("registerDevice", phone());
    await removed.ok("registerDevice", phone());
    const own = await api.ok("registerDevice", phone());
    expect((await api.ok("listDevices")).total).equal(3);

    await out.ok("logout");
    expect((await api.ok("listDevices")).total).equal(2);
    await api.ok("endSessions");

    expect((await api.ok("listDevices")).items.map(({ id }) => id)).deep.equal([own.id]);
  });

  it("end with a ban", async () => {
    const { id, api } = await given.user();
    await api.ok("registerDevice", phone());

    await world.core.accountBans.ban(id, OPERATOR);

    expect(await world.core.pushDevices.list(id)).deep.equal([]);
  });

  it("are at most twenty an account: the one that was active longest ago leaves", async () => {
    const { id, api } = await given.user();
    const first = await api.ok("registerDevice", phone());
    for (let number = 1; number <= MAX_PUSH_DEVICES; number++) {
      clock.move(1_000);
      await api.ok("registerDevice", phone());
    }

    const { items, total } = await api.ok("listDevices", { query: { per_page: 50 } });

    expect(total).equal(MAX_PUSH_DEVICES);
    expect(items.map((device) => device.id)).not.include(first.id);
    expect(await docs().countDocuments({ userId: id })).equal(MAX_PUSH_DEVICES);
  });

  it("are stored without their token in the clear", async () => {
    const { id, api } = await given.user();
    const token = newToken();
    await api.ok("registerDevice", phone(token));

    const stored = await docs().find({ userId: id }).toArray();

    expect(stored).lengthOf(1);
    expect(JSON.stringify(stored)).not.include(token);
  });
});
