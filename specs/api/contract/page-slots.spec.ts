import { expect } from "chai";
import { Router } from "express";
import { createRequestSlots } from "../../../api/http/request-slots.ts";
import { eventually } from "../../support/eventually.ts";
import { quietLog } from "../../support/quiet-log.ts";
import { headOf, newLocalAddress, RawConnection } from "../../support/raw-http.ts";
import { type OpenedApp, openApp } from "./open-app.ts";

const LARGE = Buffer.alloc(32 * 1024 * 1024);
/** As `curl --http2` sends it. */
const H2C = [
  "Connection: Upgrade, HTTP2-Settings",
  "Upgrade: h2c",
  "HTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA",
];

describe("slots of pages", () => {
  const slots = createRequestSlots({ slots: 3, log: quietLog() });
  let app: OpenedApp;
  const connections: RawConnection[] = [];
  /** Each ends one held page. */
  const running: (() => void)[] = [];

  before(async () => {
    app = await openApp(() => undefined, {
      slots,
      // One page of documentation a minute.
      factor: 0.001,
      trustedProxies: ["127.0.0.0/8"],
      pages: ({ page }) => [
        Router()
          .get(
            "/short",
            page((_req, res) => void res.send("short")),
          )
          .get(
            "/large",
            page((_req, res) => void res.send(LARGE)),
          )
          .get(
            "/broken",
            page(() => Promise.reject(new Error("the page can't be made"))),
          )
          .get(
            "/held",
            page(async (_req, res) => {
              await new Promise<void>((end) => void running.push(end));
              res.send("held");
            }),
          ),
      ],
    });
  });
  after(() => app.close());
  afterEach(() => {
    for (const connection of connections.splice(0)) connection.close();
    for (const end of running.splice(0)) end();
  });

  function connect(): RawConnection {
    const connection = new RawConnection(app.port);
    connections.push(connection);
    return connection;
  }
  /** Each from an address of its own, since few pages of one are allowed. */
  const get = (path: string, from = newLocalAddress(), ...lines: string[]) =>
    headOf(`GET ${path}`, `X-Forwarded-For: ${from}`, ...lines);
  async function upgraded(path: string, from?: string): Promise<number | undefined> {
    const connection = connect();
    connection.write(get(path, from, ...H2C));
    // A Node that lets the server choose what it upgrades keeps the connection.
    await eventually(() => connection.statuses().length === 1, { what: "an answer" });
    return connection.statuses()[0];
  }
  const taken = () => slots.readings().taken.reduce((sum, { value }) => sum + value, 0);
  const areFree = () => eventually(() => expect(taken()).equal(0), { what: "all slots are free" });

  it("are free after a page that an upgrade asked for, which is logged and counted", async () => {
    app.answered.length = 0;
    app.lines.length = 0;

    const statuses = [await upgraded("/short"), await upgraded("/broken")];

    expect(statuses).deep.equal([200, 500]);
    await areFree();
    await eventually(() => expect(app.answered.map(({ status }) => status)).deep.equal([200, 500]));
    expect(app.lines.filter(({ message }) => message === "request answered")).length(2);
  });

  it("are free after a page that is refused by its limit", async () => {
    const from = newLocalAddress();
    const statuses = [await upgraded("/docs/", from), await upgraded("/docs/", from)];

    expect(statuses).deep.equal([200, 429]);
    await areFree();
  });

  it("are free after pipelined pages whose connection is reset before their turn", async () => {
    const connection = connect();
    connection.write(get("/held") + get("/held") + get("/held"));
    await eventually(() => running.length === 3, { what: "three pages are made" });

    connection.socket.resetAndDestroy();
    await eventually(() => app.connections() === 0);
    for (const end of running.splice(0)) end();

    await areFree();
  });

  it("aren't held by readers that take nothing of an answer", async () => {
    const readers = [connect(), connect(), connect()];
    for (const reader of readers) {
      reader.socket.pause();
      reader.write(get("/large"));
    }
    await eventually(() => readers.every(({ socket }) => socket.bytesWritten > 0));

    const reader = connect();
    reader.write(get("/short"));

    await eventually(() => reader.statuses()[0] === 200);
    await areFree();
  });
});
