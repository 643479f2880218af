import { expect } from "chai";
import fc from "fast-check";
import { type OpenedApp, openApp } from "./open-app.ts";

const ROOM = "0191d5e6-7a3b-7c4d-8e5f-0123456789ab";
/** Pieces of JSON strings that look like surrogates, are some, or change what the next piece is. */
const PIECES = [
  "\\ud83d",
  "\\uDE00",
  "\\uDBFF",
  "\\udc00",
  "\\u0041",
  "\\\\",
  '\\"',
  "\\n",
  "ud83d",
  "00",
  "😀",
];

describe("surrogates in JSON bodies", () => {
  let app: OpenedApp;
  const received: unknown[] = [];

  before(async () => {
    app = await openApp(({ bind }) => {
      bind("banUser", ({ body }) => {
        received.push(body?.reason);
        return { success: true };
      });
    });
  });

  after(() => app.close());

  const ban = (json: string) =>
    fetch(`${app.baseUrl}/v1/chat/${ROOM}/bans/${ROOM}`, {
      method: "PUT",
      body: json,
      headers: { authorization: `Bearer ${app.newToken()}`, "content-type": "application/json" },
    });

  for (const text of ["😀", "\\ud800", "\\\\udfff", "a\\"]) {
    it(`let ${JSON.stringify(text)} through, escaped or not`, async () => {
      const escaped = JSON.stringify(text).replaceAll(
        /[\ud800-\udfff]/g,
        (unit) => `\\u${unit.charCodeAt(0).toString(16)}`,
      );
      for (const json of [JSON.stringify(text), escaped]) {
        expect((await ban(`{"reason":${json}}`)).status, json).equal(200);
        expect(received.pop()).equal(text);
      }
    });
  }

  it("are refused exactly when one is single, whatever stands around it", async () => {
    const strings = fc.array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(strings, async (pieces) => {
        const json = `"${pieces.join("")}"`;
        const text: string = JSON.parse(json);
        // A new line is refused by its own rule.
        const isRefused = /[\ud800-\udfff]/u.test(text) || text.includes("\n");

        expect((await ban(`{"reason":${json}}`)).status).equal(isRefused ? 400 : 200);
      }),
      { numRuns: 200 },
    );
  });
});
