import { randomBytes, randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { projectRoot } from "../../deploy/processes/config/project.ts";
import { Socket } from "../realtime/gateway/world.ts";
import { createApi } from "../support/api.ts";
import { movableClock } from "../support/clock.ts";
import { eventually } from "../support/eventually.ts";
import { givenChannels } from "../support/given-channels.ts";
import { type Service, serviceHarness } from "../support/service.ts";

const PROVIDER = {
  id: "one",
  name: "One",
  issuer: "https://one.example",
  client_id: "of-specs",
  client_secret: "a secret of specs",
};
const INGEST_KEYS = randomBytes(32).toString("hex");

describe("The metrics of the running service", function () {
  this.timeout(90_000);
  const { start, end } = serviceHarness("deploy/main.ts");
  let service: Service;

  before(async () => {
    service = await start({
      API_WORKERS: "1",
      INGEST_KEYS,
      LOG_LEVEL: "error",
      OAUTH_PROVIDERS: JSON.stringify([PROVIDER]),
    });
    await service.ready();
  });
  after(end);

  /** Each series of the metric as "component operation code", with its count over all workers. */
  async function counted(): Promise<Record<string, number>> {
    const text = await (await fetch(`${service.internal}/metrics`)).text();
    const series = text.matchAll(/^livecore_refusals_total\{([^}]*)\} (\d+)/gm);
    const totals: Record<string, number> = {};
    for (const [, labels = "", count] of series) {
      const label = (name: string) => new RegExp(`${name}="([^"]*)"`).exec(labels)?.[1];
      const name = `${label("component")} ${label("operation")} ${label("code")}`;
      totals[name] = (totals[name] ?? 0) + Number(count);
    }
    return totals;
  }

  it("are those of docs/metrics.md, by their names and kinds", async () => {
    const text = await (await fetch(`${service.internal}/metrics`)).text();
    const page = readFileSync(join(projectRoot, "docs/metrics.md"), "utf8");
    const exposed = [...text.matchAll(/^# TYPE (livecore_\w+) (\w+)$/gm)].map(([, name, kind]) => [
      name,
      kind,
    ]);
    const listed = [...page.matchAll(/^\| `(livecore_\w+)` \| (\w+)/gm)].map(([, name, kind]) => [
      name,
      kind,
    ]);

    expect(exposed.sort()).deep.equal(listed.sort());
    expect(text).match(/^livecore_workers_ready\{kind="api",worker="primary"\} [1-9]/m);
    expect(text).match(/^livecore_gateway_tail_lag_seconds\{worker="realtime"\} [0-9.]+$/m);
  });

  it("count refusals in every component, by names of the contract alone", async () => {
    const api = createApi(service.http);
    const given = givenChannels({ api, clock: movableClock(), ingestKey: INGEST_KEYS });
    const { owner, at } = await given.channel();
    const socketUrl = service.http.replace(/^http/, "ws");

    // REST: by an operation, without one, and a message that the room refuses too.
    const login = { login: `nobody_${randomBytes(6).toString("hex")}`, password: "not the password" };
    for (let i = 0; i < 2; i++) await api.call("login", { body: login });
    await fetch(`${service.http}/v1/${randomUUID()}`);
    // One that a browser is sent on with.
    await fetch(`${service.http}/v1/auth/oauth/one/callback?state=x&code=y`, { redirect: "manual" });
    const body = { content: "twice the same" };
    await owner.api.ok("sendChatMessage", { params: at, body });
    const repeated = await owner.api.call("sendChatMessage", { params: at, body });
    expect(repeated.code).equal("duplicate_message");

    // Sockets: refused upgrades, refused commands, and one that is ended.
    await new Socket(`${socketUrl}/v1/ws/user`).refusal();
    await new Socket(`${socketUrl}/v1/ws/${randomUUID()}`).refusal();
    const { ticket } = await owner.api.ok("createWsTicket");
    const socket = new Socket(`${socketUrl}/v1/ws?ticket=${ticket}`);
    await socket.next("hello");
    await socket.command("chat.send", { channel: `chat:${at.stream_id}`, ...body });
    await socket.malformed("made.up");
    await owner.api.call("logout");
    expect((await socket.ending()).code).equal(4009);

    await eventually(async () => {
      expect(await counted()).deep.equal({
        "rest login invalid_credentials": 2,
        "rest none not_found": 1,
        "rest finishOauth oauth_failed": 1,
        "rest sendChatMessage duplicate_message": 1,
        "socket user auth_required": 1,
        "socket none not_found": 1,
        "socket chat.send duplicate_message": 1,
        "socket none validation_failed": 1,
        "socket close session_revoked": 1,
        "admission send duplicate_message": 2,
      });
    });
  });

  it("leave refusals their audit lines, whatever LOG_LEVEL is", async () => {
    await createApi(service.http).call("login", { body: { login: "nobody_at_all", password: "x" } });

    const audited = () =>
      service
        .output()
        .split("\n")
        .filter((line) => line.includes('"audit":true') && line.includes("sign_in.refused"));
    await eventually(() => audited().length === 3);
    expect(JSON.parse(audited().at(-1) ?? "")).include({
      reason: "unknown_account",
      userId: null,
      process: "api",
    });
    expect(service.output()).not.include("request answered");
  });
});
