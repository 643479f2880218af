// @waits: for a browser, and a broadcast in real time.
import { expect } from "chai";
import { type Publisher, publishTestPicture } from "../../../deploy/development/media/test-picture.ts";
import { needsChromium } from "../../support/chromium.ts";
import { eventually } from "../../support/eventually.ts";
import { type Service, serviceHarness, type WorkerRecord } from "../../support/service.ts";
import { closeStudio, mediaPrograms, openStudio } from "../../support/studio.ts";
import { openViewer, PATIENT, type Viewer } from "./viewer.ts";

const PICTURE = { size: "640x360", fps: 15 };

/** One evening: each step goes on from the one before. */
describe("an evening of two viewers with browsers of their own", function () {
  this.timeout(240_000);
  this.bail(true);
  const harness = serviceHarness("deploy/development/media/main.ts");
  let service: Service;
  let studio: Awaited<ReturnType<typeof openStudio>>;
  let publisher: Publisher | null = null;
  let ada: Viewer;
  let grace: Viewer;
  let both: Viewer[] = [];

  before(async function () {
    needsChromium(this);
    const programs = await mediaPrograms();
    if (!programs) this.skip();
    service = await harness.start();
    studio = await openStudio(service);
    publisher = publishTestPicture(programs.ffmpeg, { ...studio, ...PICTURE }, () => undefined);
    const http = service.http.replace("127.0.0.1", "localhost");
    const at = { http, mails: `${service.internal}/mail.json` };
    both = await Promise.all([openViewer("ada_l", at), openViewer("grace_h", at)]);
    [ada, grace] = both as [Viewer, Viewer];
  });
  after(async () => {
    await publisher?.stop();
    for (const viewer of both) await viewer.close();
    if (service) await closeStudio(service);
    await harness.end();
  });
  afterEach(() => {
    for (const { username, complaints } of both) expect(complaints.splice(0), username).deep.equal([]);
  });

  const each = (act: (viewer: Viewer) => Promise<void>) => Promise.all(both.map(act));
  async function killOne(kind: WorkerRecord["kind"]): Promise<void> {
    const [worker] = service.workers().filter((one) => one.kind === kind);
    if (!worker) throw new Error(`no ${kind} worker lives`);
    process.kill(worker.pid, "SIGKILL");
  }

  it("begins with accounts that are verified by mail", async () => {
    for (const viewer of both) await viewer.signUp();
  });

  it("secures an account by two factors and a passkey, which opens it again", async () => {
    await grace.setUpTwoFactor();
    await grace.addPasskey();
    await grace.logOut();
    await grace.page.click(".top-bar a:text('Log in')");
    await grace.page.click("button:text('Log in with a passkey')");
    await grace.page.waitForSelector("[aria-label=Account]");
  });

  it("shows both the broadcast", async () => {
    await each(async (viewer) => {
      await viewer.open(`/${studio.username}`);
      await viewer.watches();
      viewer.loads.reset();
    });
  });

  it("lets both talk with each other", async () => {
    await ada.say("good evening, Grace");
    await grace.hears("good evening, Grace");
    await grace.say("<b>good</b> evening, @ada_l");
    await ada.hears("<b>good</b> evening, @ada_l");
  });

  it("lets both follow the channel", async () => {
    await each(async ({ page }) => {
      await page.click(`[aria-label="Follow ${studio.username}"]`);
      await page.waitForSelector(`[aria-label="Unfollow ${studio.username}"]`);
    });
  });

  it("goes on while a worker of each kind is killed, and nobody reloads", async () => {
    for (const kind of ["api", "realtime", "jobs"]) await killOne(kind);
    await ada.say("did you feel that?");
    await grace.hears("did you feel that?");
    await each((viewer) => viewer.watches());
    await eventually(() => service.workers().length === 4, { ...PATIENT, what: "new workers" });
    for (const { loads } of both) expect(loads.count()).equal(0);
  });
});
