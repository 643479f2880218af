// @waits: for many sockets, and for a service that starts.
import { request } from "node:http";
import { expect } from "chai";
import { asUnavailable } from "../../base/failures/unavailable.ts";
import { eventually } from "../support/eventually.ts";
import { RawConnection, upgradeHead } from "../support/raw-http.ts";
import { serviceHarness } from "../support/service.ts";

const OPEN_FILES = 1_024;
/** More than half of the limit, as each takes two descriptors in an api worker. */
const SOCKETS = 600;

describe("limit of open files", function () {
  this.timeout(90_000);
  const { start, end } = serviceHarness("deploy/main.ts");
  const open: RawConnection[] = [];
  afterEach(async () => {
    for (const connection of open.splice(0)) connection.close();
    await end();
  });

  it("refuses further sockets with 503, and requests go on", async () => {
    const service = await start({ API_WORKERS: "1" }, { openFiles: OPEN_FILES });
    await service.ready();
    const port = Number(service.env.PORT);

    const sockets = await knock(port, SOCKETS);
    expect(new Set(sockets)).deep.equal(new Set([101, 503]));
    expect(sockets.filter((status) => status === 101).length).within(100, (OPEN_FILES - 512) / 2);
    expect(await newRequest(service.http)).equal(200);
    expect(service.output()).not.include("EMFILE");

    for (const connection of open.splice(0)) connection.close();
    await eventually(async () => (await knock(port, 1))[0] === 101, { what: "a socket is accepted again" });
  });

  it("refuses the start below what a worker needs", async () => {
    const service = await start({}, { openFiles: 512 });
    expect(await service.ended).equal(1);
    expect(service.output()).include("only 512 open files here");
  });

  it("counts as unavailable wherever the error comes from", () => {
    const emfile = Object.assign(new Error("too many open files"), { code: "EMFILE" });
    const wrapped = new TypeError("fetch failed", { cause: new Error("connect", { cause: emfile }) });
    expect(asUnavailable(wrapped)).property("code", "unavailable");
    expect(asUnavailable(Object.assign(new Error(), { code: "ENOENT" }))).equal(null);
  });

  /** The statuses with which upgrades are answered. */
  async function knock(port: number, count: number): Promise<(number | undefined)[]> {
    const asked = Array.from({ length: count }, (_, n) => {
      const connection = new RawConnection(port, `127.1.${n % 250}.1`);
      connection.write(upgradeHead("/v1/ws"));
      open.push(connection);
      return connection;
    });
    await eventually(() => asked.every((one) => one.statuses().length > 0 || one.isClosed), {
      withinMs: 30_000,
      what: "every upgrade is answered",
    });
    return asked.map((one) => one.statuses()[0]);
  }

  /** The status of a request on a connection of its own. */
  const newRequest = (http: string): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      const asked = request(`${http}/v1/categories`, { agent: false }, (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      asked.once("error", reject);
      asked.end();
    });
});
