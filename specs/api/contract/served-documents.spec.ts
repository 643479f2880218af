import { expect } from "chai";
import { readAsyncApi } from "../../contract/asyncapi-document.ts";
import { readOpenApi } from "../../contract/openapi-document.ts";
import { setUpWorld } from "../../support/set-up-world.ts";

/** Those of one answer alone. */
const OWN = ["content-length", "date", "x-request-id", "ratelimit-remaining", "ratelimit-reset"];

describe("The contract's documents", () => {
  const { world } = setUpWorld();

  it("are served by the service that keeps to them, both in the same way", async () => {
    const [rest, sockets] = await Promise.all(
      ["openapi", "asyncapi"].map((name) => fetch(`${world.baseUrl}/v1/${name}.json`)),
    );
    const headersOf = (answer: Response | undefined) =>
      [...(answer?.headers ?? [])].filter(([name]) => !OWN.includes(name));

    expect(await rest?.json()).deep.equal(readOpenApi());
    expect(await sockets?.json()).deep.equal(readAsyncApi());
    expect(headersOf(sockets)).deep.equal(headersOf(rest));
  });
});
