import { expect } from "chai";
import { REQUEST_LIMITS } from "../../../api/http/limits.ts";
import { readOpenApi } from "../../../contract/openapi-document.ts";
import { limitInWords } from "../../../contract/operation-limits.ts";

describe("The limits that the OpenAPI document describes in words", () => {
  it("say how many in which time, and for whom they are counted", () => {
    const words = (["raids", "auth", "support", "export", "reports", "heartbeat"] as const).map(limitInWords);
    expect(words).deep.equal([
      "10 in 10 minutes per signed-in user",
      "10 a minute per address",
      "5 an hour per address",
      "3 a day per signed-in user",
      "20 an hour per signed-in user, otherwise per address",
      "6 a minute per signed-in user and stream, otherwise 300 a minute per address, stream and device",
    ]);
  });

  it("are those of all requests as well", () => {
    const text = readOpenApi().info.description.replaceAll(/\s+/g, " ");
    const pointsIn = (words: RegExp) => Number(words.exec(text)?.[1]?.replace(",", ""));
    expect({
      user: pointsIn(/([\d,]+) a minute per signed-in user/),
      address: pointsIn(/([\d,]+) a minute per address without one/),
      system: pointsIn(/([\d,]+) a minute per address with the system key/),
      token: pointsIn(/A personal API token has ([\d,]+) a minute of its own/),
    }).deep.equal(Object.fromEntries(Object.entries(REQUEST_LIMITS).map(([by, { limit }]) => [by, limit])));
    expect(Object.values(REQUEST_LIMITS).map(({ windowSeconds }) => windowSeconds)).deep.equal([
      60, 60, 60, 60,
    ]);
  });
});
