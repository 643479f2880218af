// @waits: for a service to start, and for a channel to go live.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { createClient } from "../../clients/typescript/src/index.ts";
import { projectRoot } from "../../deploy/processes/config/project.ts";
import { bundle } from "../support/bundle.ts";
import { eventually } from "../support/eventually.ts";
import { type Service, serviceHarness } from "../support/service.ts";

const PATIENT = { withinMs: 60_000, everyMs: 250 };
const TEST_CARD = join(projectRoot, "api/live/playback/test-card");
const TEST_CARD_AT_MOST = 300_000;

/** The time of a part's first frame, in seconds: its box `tfdt`, of version 1, in units of 1/12800 s. */
function firstTimeIn(part: ArrayBuffer): number {
  const bytes = Buffer.from(part);
  return Number(bytes.readBigUInt64BE(bytes.indexOf("tfdt") + 8)) / 12_800;
}

describe("demo evening", function () {
  this.timeout(180_000);
  const { start, end } = serviceHarness("deploy/main.ts");
  let service: Service;
  let publicUrl: string;
  /** The name of the channel. */
  let kept = "";

  before(async () => {
    // As a developer starts it, who sets neither.
    service = await start({ PUBLIC_URL: undefined, EDGE_URL: undefined });
    await service.ready();
    publicUrl = service.http.replace("127.0.0.1", "localhost");
  });
  after(end);

  const demo = (method: "GET" | "POST") =>
    fetch(`${publicUrl}/demo`, {
      method,
      headers: { origin: publicUrl },
      redirect: "manual",
      signal: AbortSignal.timeout(PATIENT.withinMs),
    });
  const press = () => demo("POST");
  const front = async () => (await fetch(publicUrl)).text();
  const client = () => createClient({ baseUrl: service.http });
  const liveNow = async () => (await client().call("listStreams")).items;

  it("is kept by npm run demo -- --stay, which prints how to sign in, until Ctrl-C", async () => {
    const child = spawn(process.execPath, [await bundle("deploy/development/demo/main.ts"), "--stay"], {
      env: service.env,
    });
    const lines: string[] = [];
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (chunk) => lines.push(String(chunk)));
    const printed = () => /Watch +(\S+)\n +Sign in +as (\S+) with the password (\S+)/.exec(lines.join(""));
    try {
      await eventually(() => expect(lines.join("")).match(/Sign in/), { ...PATIENT, what: "it is live" });
      const [, watch, login = "", password = ""] = printed() ?? [];
      const creator = client();

      expect(watch).equal(`${publicUrl}/${login}`);
      await creator.call("login", { body: { login, password } });
      const { id, is_live: isLive } = await creator.call("getMyStream");
      expect(isLive).equal(true);
      expect(lines.join("")).include("waiting for the channel to go live: 30 s at most");

      child.kill("SIGINT");
      expect(await once(child, "exit")).deep.equal([0, null]);
      expect(lines.join("")).include("The demo evening is over: it was stopped.");
      expect((await creator.call("getStream", { path: { stream_id: id } })).is_live).equal(false);
      kept = login;
    } finally {
      child.kill("SIGKILL");
    }
  });

  it("begins by the button of the front page, once however often it is pressed", async () => {
    expect(await front()).include('"evening":{"status":"off"}');

    const answers = await Promise.all([press(), press(), press()]);
    const places = answers.map((answer) => answer.headers.get("location"));

    expect(answers.map(({ status }) => status)).deep.equal([303, 303, 303]);
    expect(places, "answered while it starts").deep.equal(["/demo", "/demo", "/demo"]);
    const place = await eventually(
      async () => {
        const answer = await demo("GET");
        if (answer.status !== 303) throw new Error("it is starting");
        return answer.headers.get("location");
      },
      { ...PATIENT, what: "the page leads to the channel" },
    );
    expect(place, "the same account as before").equal(`/${kept}`);
    // The list without a credential is kept for some seconds.
    await eventually(async () => {
      const live = await liveNow();
      expect(live.map(({ user }) => `/${user.username}`)).deep.equal([place]);
    }, PATIENT);
    await eventually(
      async () => (await front()).includes(`"evening":{"status":"live","username":"${kept}"}`),
      PATIENT,
    );
    expect((await press()).headers.get("location")).equal(place);
  });

  it("has viewers who chat", async () => {
    const [stream] = await liveNow();
    const path = { stream_id: stream?.id ?? "" };
    await eventually(
      async () => (await client().call("getViewerCount", { path })).viewer_count === 6,
      PATIENT,
    );
    await eventually(async () => {
      const { items } = await client().call("listChatMessages", { path });
      return new Set(items.map(({ username }) => username)).size >= 2;
    }, PATIENT);
  });

  it("shows the test card at signed addresses of the service itself, in a loop", async () => {
    const [stream] = await liveNow();
    const path = { stream_id: stream?.id ?? "" };
    const { manifest_url: manifest } = await client().call("getPlayback", { path });
    expect(manifest).match(new RegExp(`^${publicUrl}/edge/`));

    const answer = await fetch(manifest);
    const playlist = await answer.text();
    expect([answer.status, answer.headers.get("access-control-allow-origin")]).deep.equal([200, "*"]);
    expect(playlist)
      .match(/^#EXTM3U\n/)
      .not.include("ENDLIST");
    const files = [...playlist.matchAll(/^(part\d+\.m4s)$|URI="([^"]+)"/gm)].map(
      ([, part, map]) => part ?? map ?? "",
    );
    expect(files.length).equal(7);
    for (const file of files) {
      const part = await fetch(new URL(file, manifest));
      expect([part.status, part.headers.get("content-type")], file).deep.equal([200, "video/mp4"]);
    }
    const times = await Promise.all(
      files
        .slice(1)
        .map(async (file) => firstTimeIn(await (await fetch(new URL(file, manifest))).arrayBuffer())),
    );
    // Also from one round of the card to the next, or players would stop there.
    expect(times.map((time) => time - (times[0] ?? 0))).deep.equal([0, 2, 4, 6, 8, 10]);
    const sequence = (text: string) => Number(/MEDIA-SEQUENCE:(\d+)/.exec(text)?.[1]);
    await eventually(
      async () => sequence(await (await fetch(manifest)).text()) > sequence(playlist),
      PATIENT,
    );
    const forged = manifest.replace(/\/[\w-]{22}\//, `/${"x".repeat(22)}/`);
    expect((await fetch(forged)).status).equal(404);
    expect((await fetch(new URL("../secret.txt", manifest))).status).equal(404);
  });

  it("keeps its test card below 300 KB", () => {
    const bytes = readdirSync(TEST_CARD).reduce((sum, file) => sum + statSync(join(TEST_CARD, file)).size, 0);
    expect(bytes).most(TEST_CARD_AT_MOST);
  });

  it("goes on with the same channel when the workers are replaced", async () => {
    const before = await liveNow();
    const old = new Set(service.workers().map(({ pid }) => pid));
    service.signal("SIGUSR2");
    await eventually(() => service.workers().every(({ pid }) => !old.has(pid)), { withinMs: 90_000 });

    expect((await liveNow()).map(({ id }) => id)).deep.equal(before.map(({ id }) => id));
    await eventually(async () => (await front()).includes('"evening":{"status":"live"'), PATIENT);
  });

  it("ends with the service", async () => {
    service.signal("SIGTERM");

    expect(await service.ended).equal(0);
    expect(service.output()).include("demo evening: over");
  });
});
