import { expect } from "chai";
import { OPERATION_LIMITS, REQUEST_LIMITS } from "../../../api/http/limits.ts";
import { BUCKETS } from "../../../contract/openapi/operation-rules.ts";
import { readOpenApi } from "../../../contract/openapi-document.ts";

const PART = /^(?:(\d+) (a minute|an hour|a day|in (\d+) minutes) )?per (signed-in user|address)(.*)$/;

const SPANS: Record<string, number> = { "an hour": 3_600, "a day": 86_400 };

/** The limit that a text describes; the other half of one with two is as large where it says nothing else. */
function read(words: string): object {
  const limit: Record<string, unknown> = {};
  let window = {};
  for (const part of words.split(", otherwise ")) {
    const [, points, span, minutes, who, more] = PART.exec(part) ?? [];
    if (!who) throw new Error(`"${part}" says nobody's limit`);
    if (points) {
      const windowSeconds = SPANS[span ?? ""] ?? 60 * Number(minutes ?? 1);
      window = { limit: Number(points), windowSeconds };
    }
    limit[who === "address" ? "byAddress" : "byUser"] = window;
    if (more?.includes("stream")) limit.isPerStream = true;
  }
  return limit;
}

describe("The limits that the OpenAPI document describes in words", () => {
  it("are those that the service has, each bucket by itself", () => {
    const described = Object.entries(BUCKETS).map(([name, words]) => [name, read(words)]);
    expect(Object.fromEntries(described)).deep.equal(OPERATION_LIMITS);
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
