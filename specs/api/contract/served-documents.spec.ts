import { readFileSync } from "node:fs";
import { expect } from "chai";
import { setUpWorld } from "../../support/set-up-world.ts";

/** Those of one answer alone. */
const OWN = ["content-length", "date", "x-request-id", "ratelimit-remaining", "ratelimit-reset"];

/** Not by `readOpenApi`: the service of this process shares what that returns. */
const generated = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`../../../contract/generated/${name}.json`, import.meta.url), "utf8"));

describe("The contract's documents", () => {
  const { world } = setUpWorld();

  it("are served by the service that keeps to them, both in the same way", async () => {
    const [rest, sockets] = await Promise.all(
      ["openapi", "asyncapi"].map((name) => fetch(`${world.baseUrl}/v1/${name}.json`)),
    );
    const headersOf = (answer: Response | undefined) =>
      [...(answer?.headers ?? [])].filter(([name]) => !OWN.includes(name));

    expect(await rest?.json()).deep.equal(generated("openapi"));
    expect(await sockets?.json()).deep.equal(generated("asyncapi"));
    expect(headersOf(sockets)).deep.equal(headersOf(rest));
  });
});
