import { expect } from "chai";
import { openApp } from "../api/contract/open-app.ts";
import { eventually } from "../support/eventually.ts";
import { headOf, RawConnection } from "../support/raw-http.ts";

describe("Connections to the public port", () => {
  const closing: (() => unknown)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
  });

  async function app(options: Parameters<typeof openApp>[1]) {
    const opened = await openApp(({ bind }) => {
      bind("getOpenApi", () => ({ filler: "x".repeat(512 * 1024) }));
      bind("getHealth", () => ({ status: "ok" }));
    }, options);
    closing.push(() => opened.close());
    const connect = () => {
      const connection = new RawConnection(Number(new URL(opened.baseUrl).port));
      closing.push(() => connection.close());
      return connection;
    };
    return { opened, connect };
  }

  it("are bounded for one address, and free again when they end", async () => {
    // 256 × 0.02.
    const { opened, connect } = await app({ factor: 0.02 });
    const five = Array.from({ length: 5 }, connect);
    await eventually(() => opened.connections() === 5);

    const sixth = connect();
    await eventually(() => sixth.isClosed);
    five[0]?.close();
    await eventually(() => opened.connections() === 4);
    const seventh = connect();
    seventh.write(headOf("GET /healthz"));

    await eventually(() => seventh.statuses()[0] === 200);
  });

  it("refuse requests with 503 beyond what the limit of open files allows, and serve the others", async () => {
    const { opened, connect } = await app({ openFiles: { sockets: 1, connections: 2 } });
    const [first, second] = [connect(), connect()];
    for (const connection of [first, second]) connection.write(headOf("GET /healthz"));
    await eventually(() => first.statuses()[0] === 200 && second.statuses()[0] === 200);
    const third = connect();
    third.write(headOf("GET /healthz"));

    await third.ended();
    expect(third.statuses()).deep.equal([503]);
    third.close();
    first.close();
    await eventually(() => opened.connections() === 1);
    const fourth = connect();
    fourth.write(headOf("GET /healthz"));
    await eventually(() => fourth.statuses()[0] === 200);
  });

  it("silent ones make room for others when the limit of open files is reached", async () => {
    const { opened, connect } = await app({ openFiles: { sockets: 1, connections: 20 } });
    const asking = connect();
    asking.write(headOf("GET /healthz"));
    await eventually(() => asking.statuses()[0] === 200);
    const silent = Array.from({ length: 100 }, connect);
    await eventually(() => silent.filter((one) => one.isClosed).length >= 80);
    expect(opened.connections()).most(21);

    const newcomer = connect();
    newcomer.write(headOf("GET /healthz"));

    await eventually(() => newcomer.statuses()[0] === 200);
    asking.write(headOf("GET /healthz"));
    await eventually(() => asking.statuses().length === 2);
  });

  it("are cut off when nothing of an answer is taken", async () => {
    const { opened, connect } = await app({ times: { unread: 300 } });
    const [stalled, reading] = [connect(), connect()];
    stalled.socket.pause();

    // More than the kernel takes for a reader that has stopped.
    stalled.write(headOf("GET /v1/openapi.json").repeat(30));
    reading.write(headOf("GET /v1/openapi.json").repeat(3));

    await eventually(() => reading.statuses().length === 3);
    await eventually(() => opened.connections() === 1, { withinMs: 10_000 });
    reading.write(headOf("GET /healthz"));
    await eventually(() => reading.statuses().length === 4);
  });

  it("are reset, not ended, when they were kept alive for long enough", async () => {
    const { opened, connect } = await app({ times: { keepAlive: 100 } });
    const idle = connect();
    let failure = "";
    idle.socket.on("error", (err: NodeJS.ErrnoException) => {
      failure = String(err.code);
    });
    idle.write(headOf("GET /healthz"));

    await eventually(() => idle.statuses().length === 1);
    await eventually(() => opened.connections() === 0);
    await eventually(() => failure === "ECONNRESET");
  });
});
