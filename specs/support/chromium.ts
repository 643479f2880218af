import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BrowserContext, chromium, type Frame, type Page } from "playwright-core";

const PROGRAMS = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];
const ARGUMENTS = [
  ..."--headless --no-sandbox --disable-gpu --disable-quic --no-first-run".split(" "),
  ..."--disable-background-networking --disable-component-update --disable-sync".split(" "),
  "--autoplay-policy=no-user-gesture-required",
  // Of the browser's own window, which nobody sees.
  "--animation-duration-scale=0",
  `--disable-features=${[
    // A window's suggestions are pages of their own, which cost a second of computing.
    ..."WebUIOmniboxPopup WebUIOmniboxAimPopup WebUIOmniboxFullPopup AimEnabled".split(" "),
    // The last list counts, so Playwright's own is repeated: look for it in the package with each new version.
    ..."AvoidUnnecessaryBeforeUnloadCheckSync HttpsUpgrades HttpsFirstBalancedModeAutoEnable".split(" "),
    ..."ThirdPartyStoragePartitioning PaintHolding AvoidCorsURLLoaderRestartOnRedirect".split(" "),
    ..."DestroyProfileOnBrowserClose MediaRouter LensOverlay OptimizationHints".split(" "),
    ..."NetworkTimeServiceQuerying PreconnectToSearch TcpPortRandomizationWin".split(" "),
  ].join(",")}`,
];

/** Skips the calling hook or spec on a machine without a browser, and prints why. */
export function needsChromium(context: { skip(): never }): void {
  if (program() !== null) return;
  process.stdout.write("      There is no Chromium here (apt-get install chromium, or CHROMIUM=its path).\n");
  context.skip();
}

const program = (): string | null =>
  [process.env.CHROMIUM ?? "", ...PROGRAMS].find((path) => path !== "" && existsSync(path)) ?? null;

/** A real browser with pages of other origins. It collects everything that the console reports as an error. */
export async function openChromium() {
  const folder = mkdtempSync(join(tmpdir(), "livecore-chromium-"));
  const executablePath = program();
  if (executablePath === null) throw new Error("there is no Chromium");
  const context: BrowserContext = await chromium.launchPersistentContext(folder, {
    executablePath,
    headless: true,
    args: ARGUMENTS,
    viewport: { width: 1_000, height: 600 },
  });
  // The helper that the specs' compiler wraps around named functions; they run in pages as well.
  await context.addInitScript("globalThis.__name ??= (named) => named");
  const complaints: string[] = [];
  const closings: (() => void)[] = [];

  return {
    context,
    /** Errors of pages and violations of their policies, as the console reports them. */
    complaints,
    /** Opens a page of another origin, http://localhost with a port of its own, that shows `body`. */
    async foreignPage(body: (host: string) => string): Promise<{ page: Page; host: string }> {
      const server = createServer((_req, res) => {
        res.setHeader("content-type", "text/html; charset=utf-8");
        res.end(`<!doctype html><body style="margin:0;display:flex">${body(host)}`);
      });
      await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
      closings.push(() => void server.close());
      closings.push(() => server.closeAllConnections());
      const host = `localhost:${(server.address() as AddressInfo).port}`;
      const page = await context.newPage();
      page.on("pageerror", (err) => complaints.push(err.message));
      page.on("console", (message) => {
        if (message.type() === "error") complaints.push(message.text());
      });
      page.on("dialog", (dialog) => {
        complaints.push(`a dialog: ${dialog.message()}`);
        dialog.dismiss().catch(() => undefined);
      });
      await page.goto(`http://${host}/`);
      return { page, host };
    },
    async close(): Promise<void> {
      for (const close of closings) close();
      await context.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

type Browser = Awaited<ReturnType<typeof openChromium>>;

/** A browser that is open during this `describe`, which is skipped where there is none. Use it only in hooks and specs. */
export function setUpChromium(): Browser {
  const browser = {} as Browser;
  before(async function () {
    needsChromium(this);
    Object.assign(browser, await openChromium());
  });
  after(() => browser.close?.());
  return browser;
}

/** Collects what goes wrong in a page: uncaught errors, and violations of its policies as the console reports them. */
export function keepComplaints(page: Page, complaints: string[]): void {
  page.on("pageerror", (err) => complaints.push(err.message));
  page.on("console", (message) => {
    if (/Content Security Policy|Uncaught|Trusted/i.test(message.text())) complaints.push(message.text());
  });
}

/** The frame of the page's iframe. */
export async function framed(page: Page, selector = "iframe"): Promise<Frame> {
  const frame = await (await page.waitForSelector(selector)).contentFrame();
  if (!frame) throw new Error(`${selector} shows nothing`);
  return frame;
}
