import { expect } from "chai";
import { shows } from "../../../contract/coverage/shows.ts";
import { setUpWorld } from "../../support/set-up-world.ts";
import { clientOf, cookiesOf, modes } from "./session-modes.ts";

describe("session cookies of a service with a domain", () => {
  const { world } = setUpWorld({ cookieDomain: "live.example" });

  it("are for that domain", async () => {
    const mode = modes.find(({ name }) => name === "cookie");
    if (!mode) throw new Error("There is no cookie mode");

    const { answer } = await clientOf(world.baseUrl, mode).register();

    const domains = Object.entries(cookiesOf(answer)).map(([name, { attributes }]) => [
      name,
      attributes.domain,
    ]);
    expect(Object.fromEntries(domains)).deep.equal({
      lc_access_token: "live.example",
      lc_device_id: "live.example",
      lc_signed_in: "live.example",
      // Of the service's own host alone.
      lc_refresh_token: undefined,
    });
    shows("auth.cookie.domain");
  });
});
