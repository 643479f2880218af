import { expect } from "chai";
import { type Publisher, publishTestPicture } from "../../../deploy/development/media/test-picture.ts";
import { needsChromium } from "../../support/chromium.ts";
import { type Service, serviceHarness, type WorkerRecord } from "../../support/service.ts";
import { closeStudio, mediaPrograms, openStudio } from "../../support/studio.ts";
import { openGuest } from "./guest.ts";
import { openViewer, type Viewer } from "./viewer.ts";

const PICTURE = { size: "640x360", fps: 15 };

export type Evening = {
  service: Service;
  studio: Awaited<ReturnType<typeof openStudio>>;
  guest: Awaited<ReturnType<typeof openGuest>>;
  publish(streamKey: string): void;
  /** Somebody more, with a browser of their own. */
  enter(username: string): Promise<Viewer>;
};

/**
 * A service with media, the studio's channel and a guest's. `begin` gets them before the first spec. Everybody who enters is sent home
 * after the last one; a spec in which their page broke the policy or threw fails.
 */
export function setUpEvening(begin: (evening: Evening) => Promise<void>): void {
  const harness = serviceHarness("deploy/development/media/main.ts");
  const publishers: Publisher[] = [];
  const people: Viewer[] = [];
  let service: Service | undefined;
  before(async function () {
    needsChromium(this);
    const programs = await mediaPrograms();
    if (!programs) this.skip();
    const started = await harness.start();
    service = started;
    const studio = await openStudio(started);
    const guest = await openGuest(started);
    const http = started.http.replace("127.0.0.1", "localhost");
    await begin({
      service: started,
      studio,
      guest,
      publish(streamKey) {
        const to = { rtmpUrl: studio.rtmpUrl, streamKey, ...PICTURE };
        publishers.push(publishTestPicture(programs.ffmpeg, to, () => undefined));
      },
      async enter(username) {
        const viewer = await openViewer(username, { http, mails: `${started.internal}/mail.json` });
        people.push(viewer);
        return viewer;
      },
    });
  });
  after(async () => {
    for (const publisher of publishers) await publisher.stop();
    for (const one of people) await one.close();
    if (service) await closeStudio(service);
    await harness.end();
  });
  afterEach(() => {
    for (const { username, complaints } of people) expect(complaints.splice(0), username).deep.equal([]);
  });
}

/** One worker of that kind, as by a crash. */
export function killOne(service: Service, kind: WorkerRecord["kind"]): void {
  const [worker] = service.workers().filter((one) => one.kind === kind);
  if (!worker) throw new Error(`no ${kind} worker lives`);
  process.kill(worker.pid, "SIGKILL");
}
