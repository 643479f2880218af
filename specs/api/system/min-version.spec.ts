import { expect } from "chai";
import { setUpWorld } from "../../support/set-up-world.ts";

describe("versions of apps", () => {
  const { world } = setUpWorld();

  const ask = (query: Record<string, string>) => world.api.call("getMinVersion", { query });

  const versions: [version: string, isRequired: boolean][] = [
    ["1.3.9", true],
    ["0.9.99", true],
    ["1.4.0", false],
    ["1.10.0", false],
    ["2.0.0", false],
  ];
  for (const [version, isRequired] of versions) {
    it(`${version} ${isRequired ? "has to be updated" : "may go on"} where 1.4.0 is the oldest`, async () => {
      const { body } = await ask({ platform: "ios", version });

      expect(body).deep.equal({ min_version: "1.4.0", latest_version: "2.1.0", update_required: isRequired });
    });
  }

  it("of each platform are its own, and what isn't a version is refused", async () => {
    expect((await ask({ platform: "android", version: "0.0.1" })).body).include({ update_required: false });
    expect((await ask({ platform: "ios" })).body).include({ update_required: false });
    for (const query of [{}, { platform: "windows" }, { platform: "ios", version: "1.4" }]) {
      expect((await ask(query)).code).equal("validation_failed");
    }
  });
});
