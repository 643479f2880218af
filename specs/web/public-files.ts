import type { BrowserContext } from "playwright-core";

/** Worlds name the addresses of badges and emotes by their public address, which nothing resolves: this gets them from the world itself. */
export async function servePublicFiles(context: BrowserContext, baseUrl: string): Promise<void> {
  await context.route("https://livecore.example/files/**", async (route) => {
    const { pathname } = new URL(route.request().url());
    await route.fulfill({ response: await route.fetch({ url: baseUrl + pathname }) });
  });
}
