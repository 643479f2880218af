import { createConnection, createServer, type Socket } from "node:net";
import { expect } from "chai";
import { eventually } from "../../support/eventually.ts";
import { openTcpProxy } from "../../support/tcp-proxy.ts";

describe("the TCP proxy of specs as a black hole", () => {
  it("keeps sockets open, passes nothing, and delivers late once it is released", async () => {
    const served: Socket[] = [];
    let heard = "";
    const server = createServer((socket) => {
      served.push(socket);
      socket.on("data", (chunk) => {
        heard += String(chunk);
        socket.write("answer ");
      });
    });
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
    const address = server.address();
    if (address === null || typeof address === "string") throw new Error("the server has no port");
    const proxy = await openTcpProxy(address.port);
    let answered = "";
    let isClosed = false;
    const client = createConnection({ port: proxy.port, host: "127.0.0.1" });
    client.on("data", (chunk) => {
      answered += String(chunk);
    });
    client.on("close", () => {
      isClosed = true;
    });
    client.write("before ");
    await eventually(() => answered === "answer ");

    proxy.blackHole();
    client.write("in it ");
    served[0]?.write("unasked ");
    served[0]?.end();
    const second = createConnection({ port: proxy.port, host: "127.0.0.1" });
    second.write("second ");
    await new Promise((connected) => second.once("connect", connected));
    await eventually(() => served.length === 2);
    expect({ heard, answered, isClosed }).deep.equal({
      heard: "before ",
      answered: "answer ",
      isClosed: false,
    });

    proxy.release();
    await eventually(() => heard.includes("second ") && isClosed);
    expect(answered).match(/^answer (answer )?unasked /);
    second.destroy();
    await proxy.close();
    await new Promise((closed) => server.close(closed));
  });
});
