import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect } from "chai";
import { responseChunks } from "../../../actors/fetching/response-chunks.ts";
import { deadlineSignal } from "../../../base/deadline-signal.ts";

describe("Chunks of a response", () => {
  it("end at the deadline and close the connection, although the fetch has forgotten the signal", async () => {
    const server = createServer((_request, response) => {
      const dripping = setInterval(() => response.write("."), 5);
      response.once("close", () => clearInterval(dripping));
      response.flushHeaders();
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const closed = new Promise<void>((resolve) => {
      server.on("request", (_request, response) => response.once("close", () => resolve()));
    });

    const read = async () => {
      const signal = deadlineSignal(300);
      const response = await fetch(`http://127.0.0.1:${port}/`, { signal: AbortSignal.timeout(60_000) });
      for await (const chunk of responseChunks(response, signal)) expect(chunk.byteLength).above(0);
    };
    const outcome = await read().catch((err: Error) => err.name);
    await closed;
    server.close();

    expect(outcome).equal("TimeoutError");
  });
});
