import { expect } from "chai";
import { assert, property, stringMatching } from "fast-check";
import { brokenSocketPromises } from "../../../../contract/compatibility/asyncapi.ts";
import { brokenPromises } from "../../../../contract/compatibility/openapi.ts";
import { SUCCESSORS } from "../../../../contract/compatibility/pattern-successors.ts";
import type { JsonObject } from "../../../../contract/json.ts";
import { current, narrowedTexts, released } from "../../../../contract/released/released.ts";

import { BREAKING } from "./breaking-changes.ts";
import { addTo, at, type Change, schema, takeFrom, without } from "./document-parts.ts";
import { HARMLESS } from "./harmless-changes.ts";

const NOW = Date.now();

describe("What was released", () => {
  it("holds in both documents of now but for texts that show nothing; what may go was marked before", () => {
    expect(brokenPromises(released("openapi"), current("openapi"), NOW)).deep.equal(narrowedTexts());
    expect(brokenSocketPromises(released("asyncapi"), current("asyncapi"), NOW)).deep.equal([]);
  });
});

describe("patterns of requests that were widened", () => {
  it("take every text that the earlier pattern took", () => {
    for (const { before, after } of SUCCESSORS.filter(({ is }) => is === "wider")) {
      const texts = stringMatching(new RegExp(before));
      void assert(
        property(texts, (text) => new RegExp(after).test(text)),
        { numRuns: 2_000 },
      );
    }
  });
});

describe("A later OpenAPI document", () => {
  const openapi = current("openapi");
  const changed = (change: Change): JsonObject => {
    const document = structuredClone(openapi);
    change(document);
    return document;
  };

  for (const [what, change, finding] of BREAKING) {
    it(`breaks what was promised by ${what}`, () => {
      const broken = brokenPromises(openapi, changed(change), NOW);
      expect(broken.join("\n")).include(finding);
    });
  }

  for (const [what, change] of HARMLESS) {
    it(`keeps what was promised with ${what}`, () => {
      expect(brokenPromises(openapi, changed(change), NOW)).deep.equal([]);
    });
  }
});

describe("A later AsyncAPI document", () => {
  const findingsOf = (change: Change): string => {
    const document = current("asyncapi");
    change(document);
    return brokenSocketPromises(current("asyncapi"), document, NOW).join("\n");
  };

  it("breaks what was promised by what goes, and by commands that ask for more", () => {
    expect(findingsOf((d) => without(at(d, "components", "messages"), "stream.live"))).include(
      "stream.live: is gone",
    );
    expect(findingsOf((d) => takeFrom(at(d, "x-topics", "chat").messages, "stream.live"))).include(
      "the topic chat: has no stream.live",
    );
    expect(findingsOf((d) => without(at(schema(d, "StreamLive"), "properties"), "live_since"))).include(
      "data: live_since: is gone",
    );
    const sent = (d: JsonObject) =>
      String(at(d, "components", "messages", "chat.send", "payload").$ref)
        .split("/")
        .at(-1);
    expect(findingsOf((d) => addTo(schema(d, String(sent(d))).required, "why"))).include(
      "chat.send: why: is needed now",
    );
  });

  it("keeps it with one more event, and one more field of one", () => {
    const more: Change = (d) => {
      Object.assign(at(d, "components", "messages"), {
        "stream.new": at(d, "components", "messages", "stream.live"),
      });
      addTo(at(d, "x-topics", "chat").messages, "stream.new");
      Object.assign(at(schema(d, "StreamLive"), "properties"), { why: { type: "string" } });
    };
    expect(findingsOf(more)).equal("");
  });
});
