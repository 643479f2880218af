import { expect } from "chai";
import { movableClock } from "../../support/clock.ts";
import { setUpWorld } from "../../support/set-up-world.ts";

const PASSWORD = "a long phrase for specs";

describe("a sign-in in a browser that somebody else has prepared", () => {
  const { world, given } = setUpWorld({ clock: movableClock() });

  const cookiesOf = (headers: Headers): Map<string, string> =>
    new Map(
      headers.getSetCookie().map((one): [string, string] => {
        const [name = "", value = ""] = (one.split(";")[0] ?? "").split("=");
        return [name, value];
      }),
    );
  const asHeader = (cookies: ReadonlyMap<string, string>) => ({
    cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join("; "),
    "x-service-client": "specs",
  });
  const login = (username: string, headers: Record<string, string> = {}) =>
    world.api.with(headers).call("login", { body: { login: username, password: PASSWORD } });

  it("begins a session of its own, which the one before says nothing of", async () => {
    const [attacker, victim] = [await given.user(), await given.user()];
    const planted = cookiesOf((await login(attacker.username)).headers);

    const own = cookiesOf((await login(victim.username, asHeader(planted))).headers);

    for (const name of ["lc_access_token", "lc_refresh_token", "lc_device_id"]) {
      expect(own.get(name), name).a("string");
      expect(own.get(name), name).not.equal(planted.get(name));
    }
    expect((await world.api.with(asHeader(own)).ok("getMe")).id).equal(victim.id);
    expect((await world.api.with(asHeader(planted)).ok("getMe")).id).equal(attacker.id);
    const refreshed = await world.api.with(asHeader(planted)).ok("refresh");
    expect(refreshed.user?.id).equal(attacker.id);
  });

  it("takes no session id, token or device of the request's choosing", async () => {
    const victim = await given.user();
    const chosen = new Map([
      ["lc_access_token", "chosen"],
      ["lc_refresh_token", "lc_rt_chosen"],
      ["lc_device_id", "019cedb0-7a10-7e21-9d3c-5b8f6a4e2dc1.chosen"],
    ]);

    const own = cookiesOf((await login(victim.username, asHeader(chosen))).headers);

    for (const [name, value] of chosen) expect(own.get(name)).not.equal(value);
    const [chosenId] = (chosen.get("lc_device_id") ?? "").split(".");
    expect(own.get("lc_device_id")?.split(".")[0])
      .match(/^[0-9a-f-]{36}$/)
      .not.equal(chosenId);
    const { items } = await world.api.with(asHeader(own)).ok("listSessions");
    expect(items.map(({ id }) => id)).not.include(chosenId);
  });
});
