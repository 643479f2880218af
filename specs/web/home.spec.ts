// @waits: for a browser to lay pages out.
import { expect } from "chai";
import { setUpChromium } from "../support/chromium.ts";
import { openOwnStores } from "../support/own-stores.ts";
import { setUpWorld } from "../support/set-up-world.ts";

describe("the home page before there is staff", function () {
  this.timeout(60_000);
  const browser = setUpChromium();
  const { world } = setUpWorld({ stores: openOwnStores });

  it("tells the operator how to set the server up, on the server itself alone", async () => {
    const page = await browser.context.newPage();
    const { port } = new URL(world.baseUrl);
    const hasSteps = async (host: string): Promise<boolean> => {
      await page.goto(`http://${host}:${port}/`);
      await page.waitForSelector("text=Nobody is live right now.");
      return (await page.locator("#first-run").count()) === 1;
    };
    expect([await hasSteps("127.0.0.1"), await hasSteps("strangers.localhost")]).deep.equal([true, false]);
    await page.close();
  });
});
