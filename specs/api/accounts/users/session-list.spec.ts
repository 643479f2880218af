import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { openOrigins } from "../../../../actors/accounts/profile/origins.ts";
import { SEEN_EVERY_MS } from "../../../../actors/accounts/sessions/last-seen.ts";
import { loadSettings } from "../../../../deploy/processes/config/config.ts";
import type { SessionDoc } from "../../../../store/mongo/accounts/sessions.ts";
import { movableClock } from "../../../support/clock.ts";
import { type Given, givenChannels } from "../../../support/given-channels.ts";
import { mmdbOf } from "../../../support/mmdb.ts";
import { openWorld, type World } from "../../../support/world.ts";

const DATABASE = mmdbOf({
  "203.0.113.0/24": { country: { iso_code: "NL" }, city: { names: { en: "Utrecht" } } },
  "198.51.100.0/25": { country: { iso_code: "PT" } },
});

describe("the list of sessions", () => {
  const clock = movableClock();
  let folder: string;
  let file: string;
  let world: World;
  let given: Given;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), "livecore-origins-"));
    file = join(folder, "cities.mmdb");
    writeFileSync(file, DATABASE);
    world = await openWorld({ clock, originOf: openOrigins(file), trustedProxies: ["127.0.0.1"] });
    given = givenChannels(world);
  });
  after(async () => {
    await world?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const seenAt = async (id: string) =>
    (await world.core.mongo.db.collection<SessionDoc>("sessions").findOne({ _id: id }))?.lastSeenAt.getTime();

  /** Somebody who signs in from there, with that browser. */
  async function signedInFrom(address: string, userAgent = "A browser/1.0") {
    const person = await given.user();
    const from = { "x-auth-mode": "bearer", "x-forwarded-for": address, "user-agent": userAgent };
    const body = { login: person.username, password: "a long phrase for specs" };
    const { access_token: token = "" } = await world.api.with(from).ok("login", { body });
    return { person, api: world.api.as({ token }) };
  }

  it("shows device, browser, address, times and which one asks", async () => {
    const { api } = await signedInFrom("203.0.113.77", "A browser/2.0");
    const { items } = await api.ok("listSessions");

    expect(items).lengthOf(2);
    const [own] = items.filter(({ is_current }) => is_current);
    expect(own).deep.include({
      user_agent: "A browser/2.0",
      ip: "203.0.113.77",
      device_id: own?.id,
      origin: { country: "NL", city: "Utrecht" },
    });
    for (const at of [own?.created_at, own?.last_seen_at])
      expect(Date.parse(at ?? "")).closeTo(clock.now(), 10_000);
  });

  it("shows as much of the origin as the database knows", async () => {
    const portugal = await signedInFrom("198.51.100.9");
    const nowhere = await signedInFrom("198.51.100.200");
    const six = await signedInFrom("2001:db8::7");

    const originOf = async ({ api }: typeof portugal) =>
      (await api.ok("listSessions")).items.find(({ is_current }) => is_current)?.origin;
    expect(await originOf(portugal)).deep.equal({ country: "PT", city: null });
    expect(await originOf(nowhere)).equal(undefined);
    expect(await originOf(six)).equal(undefined);
  });

  it("says when a session was last seen, written once in five minutes and beside requests", async () => {
    const { api } = await signedInFrom("203.0.113.5");
    const id = (await api.ok("listSessions")).items.find(({ is_current }) => is_current)?.id ?? "";
    await world.core.sessions.writeLastSeen();
    const first = await seenAt(id);

    clock.move(SEEN_EVERY_MS - 60_000);
    await api.ok("getMe");
    await world.core.sessions.writeLastSeen();
    expect(await seenAt(id)).equal(first);

    clock.move(60_000);
    await api.ok("getMe");
    expect(await seenAt(id)).equal(first);
    await world.core.sessions.writeLastSeen();
    const writtenAt = await seenAt(id);
    expect(writtenAt).closeTo(clock.now(), 10_000);

    clock.move(60_000);
    await api.ok("getMe");
    await world.core.sessions.writeLastSeen();
    expect(await seenAt(id)).equal(writtenAt);
  });

  it("doesn't bring back a session that ended", async () => {
    const { person, api } = await signedInFrom("203.0.113.6");
    clock.move(SEEN_EVERY_MS);
    const before = await api.ok("listSessions");
    const id = before.items.find(({ is_current }) => is_current)?.id ?? "";
    const last = await seenAt(id);
    const elsewhere = (await given.signedInAgain(person)).api;
    await elsewhere.ok("endSession", { params: { session_id: id } });

    await world.core.sessions.writeLastSeen();

    expect(await seenAt(id)).equal(last);
  });

  it("shows no origin, and the start says what is wrong, when GEOIP_DB can't be read", () => {
    const broken = join(folder, "broken.mmdb");
    writeFileSync(broken, "this is no database");
    const problems = (GEOIP_DB: string) => {
      try {
        loadSettings({ NODE_ENV: "development", GEOIP_DB });
        return "none";
      } catch (err) {
        return String(err);
      }
    };

    expect(problems(join(folder, "nowhere.mmdb"))).match(
      /GEOIP_DB names .*nowhere\.mmdb, which can't be read/,
    );
    expect(problems(broken)).match(
      /GEOIP_DB names .*broken\.mmdb, which can't be read as a MaxMind database/,
    );
    expect(problems(file)).not.include("GEOIP_DB");
  });
});
