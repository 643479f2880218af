import { expect } from "chai";
import fc from "fast-check";
import { isCommand, readAsyncApi } from "../../../../contract/asyncapi-document.ts";
import { readCommand } from "../../../../contract/frames.ts";
import { isOfSchema } from "../../../support/frames/check.ts";

const { messages } = readAsyncApi().components;
const examples = Object.values(messages)
  .filter(isCommand)
  .flatMap((message) => message.examples.map(({ payload }) => Object(payload) as Record<string, unknown>));

/** Values that stand somewhere in commands, and such that may not. */
const value = fc.oneof(
  fc.constantFrom("user", "viewers:x", `chat:${"0".repeat(8)}-0000-0000-0000-${"0".repeat(12)}`, "1:2", ""),
  fc.constantFrom("ping", "chat.send", "heartbeat", null, true, {}, [], "\u202e", 0, -1, 1.5),
  fc.string({ maxLength: 130 }),
  fc.jsonValue(),
);

/** A command of the document with some of its parts changed, left out or added. */
const command = fc
  .tuple(
    fc.constantFrom(...examples),
    fc.array(fc.tuple(fc.constantFrom("id", "method", "params", "more"), value), { maxLength: 2 }),
    fc.array(
      fc.tuple(
        fc.constantFrom(
          "channel",
          "content",
          "after",
          "nonce",
          "reply_to_id",
          "uuid",
          "stream_id",
          "device_id",
          "more",
        ),
        fc.option(value, { nil: undefined }),
      ),
      { maxLength: 2 },
    ),
  )
  .map(([example, outer, inner]) => {
    const params = { ...Object(example.params), ...Object.fromEntries(inner) };
    return { ...example, params, ...Object.fromEntries(outer) };
  });

describe("What the gateway takes for a command", () => {
  it("is what the document describes, for whatever comes", () => {
    let taken = 0;
    fc.assert(
      fc.property(command, (frame) => {
        const text = JSON.stringify(frame);
        const isTaken = readCommand(text).ok;
        taken += isTaken ? 1 : 0;
        expect(isTaken, text).equal(isOfSchema("Command", JSON.parse(text)));
      }),
      { numRuns: 3_000 },
    );
    expect(taken, "some of both").within(100, 2_900);
  });

  it("is anything but a frame of another form", () => {
    for (const text of [
      "",
      "[]",
      "null",
      "7",
      "{",
      `{"id":1}`,
      `{"method":"ping"}`,
      `{"id":1,"method":"toString"}`,
    ]) {
      expect(readCommand(text).ok, text).equal(false);
    }
    expect(readCommand(`{"id":1,"method":"ping"}`).ok, "without params, where none are needed").equal(true);
  });
});
