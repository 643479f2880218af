import { expect } from "chai";
import { headOf, RawConnection } from "../support/raw-http.ts";
import { setUpWorld } from "../support/set-up-world.ts";

/** What Node's server would answer by itself, without the envelope or not at all. */
const BROKEN: readonly [what: string, request: string, status: number, code: string][] = [
  ["isn't HTTP", "nonsense\r\n\r\n", 400, "validation_failed"],
  ["names no host", "GET /v1/streams HTTP/1.1\r\n\r\n", 400, "validation_failed"],
  [
    "has a head of 100 KB",
    headOf("GET /healthz", `X-Long: ${"x".repeat(100_000)}`),
    413,
    "payload_too_large",
  ],
  [
    "has two lengths",
    headOf("POST /v1/auth/login", "Content-Length: 1", "Content-Length: 2"),
    400,
    "validation_failed",
  ],
];

describe("A request to the service that", () => {
  const { world } = setUpWorld();

  async function answered(request: string): Promise<string> {
    const connection = new RawConnection(Number(new URL(world.baseUrl).port));
    try {
      connection.write(request);
      await connection.ended();
      return connection.text();
    } finally {
      connection.close();
    }
  }

  for (const [what, request, status, code] of BROKEN) {
    it(`${what} is answered with ${status} and the envelope`, async () => {
      const text = await answered(request.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n"));

      expect(text).match(new RegExp(`^HTTP/1\\.1 ${status} `));
      expect(text.toLowerCase()).include("connection: close").include("content-type: application/json");
      expect(JSON.parse(text.slice(text.indexOf("\r\n\r\n")))).include({ code });
    });
  }

  it("expects what nobody knows is answered all the same", async () => {
    expect(await answered(headOf("GET /healthz", "Expect: miracles", "Connection: close"))).match(
      /^HTTP\/1\.1 200 /,
    );
  });
});
