import { expect } from "chai";
import { RawConnection } from "../../support/raw-http.ts";
import { openApp } from "./open-app.ts";

describe("A request that doesn't arrive in its time", () => {
  it("is answered with the envelope, and the connection ends", async () => {
    const app = await openApp(() => undefined, { times: { head: 100, request: 100, check: 50 } });
    const connection = new RawConnection(Number(new URL(app.baseUrl).port));
    try {
      connection.write("GET /healthz HTTP/1.1\r\nHost: loc");
      await connection.ended();
    } finally {
      connection.close();
      await app.close();
    }

    const answer = connection.text();
    expect(answer)
      .match(/^HTTP\/1.1 400 Bad Request\r\n/)
      .match(/\r\nConnection: close\r\n/);
    expect(JSON.parse(answer.slice(answer.indexOf("{"))).details.errors).deep.equal([
      { path: "", rule: "complete", message: "didn't arrive as a whole in its time" },
    ]);
  });
});
