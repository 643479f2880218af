import type { Page } from "playwright-core";
import type { setUpChromium } from "../../support/chromium.ts";
import type { Channel, Person } from "../../support/given-channels.ts";
import type { setUpWorld } from "../../support/set-up-world.ts";
import { servePublicFiles } from "../public-files.ts";
import { signIn } from "../signed-in.ts";
import { setUpPage } from "./set-up-page.ts";

export type Desk = {
  channel: Channel;
  moderator: Person;
  /** Of the moderator, who is signed in. */
  page: Page;
  /** Opens the channel's desk, until `shown` is there. */
  open(shown: string): Promise<void>;
};

/** For a `beforeEach`: a channel of its own, and the browser of one of its moderators. */
export function setUpDesk(
  browser: ReturnType<typeof setUpChromium>,
  { world, given }: ReturnType<typeof setUpWorld>,
): () => Promise<Desk> {
  const opened = setUpPage(browser);
  before(() => servePublicFiles(browser.context, world.baseUrl));
  return async () => {
    const channel = await given.channel();
    const moderator = await given.moderatorOf(channel);
    await signIn(browser.context, world.baseUrl, moderator);
    const page = opened.page();
    return {
      channel,
      moderator,
      page,
      async open(shown) {
        await page.goto(`${world.baseUrl}/console/${channel.owner.username}/moderation`);
        await page.waitForSelector(shown);
      },
    };
  };
}
