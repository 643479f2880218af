import { expect } from "chai";
import { createValidation } from "../../../api/http/validate.ts";
import { newId } from "../../../base/ids.ts";
import { readCommand } from "../../../contract/frames.ts";
import { operationsOf, readOpenApi } from "../../../contract/openapi-document.ts";
import { framesOf } from "../../../realtime/gateway/socket/frames.ts";
import { problemsInFrame } from "../../support/frames/check.ts";

describe("frames", () => {
  it("hold at most 64 events or 15 KiB, in their order", () => {
    const small = [...Array(200).keys()].map((i) => Buffer.from(JSON.stringify({ i })));
    const large = [...Array(20).keys()].map((i) =>
      Buffer.from(JSON.stringify({ i, pad: "x".repeat(4_000) })),
    );

    for (const payloads of [small, large, []]) {
      const frames = framesOf(payloads).map((frame) => ({
        size: frame.length,
        events: JSON.parse(String(frame)),
      }));
      expect(frames.flatMap(({ events }) => events)).deep.equal(payloads.map((p) => JSON.parse(String(p))));
      for (const { size, events } of frames) {
        expect(events.length).within(1, 64);
        expect(size).at.most(15 * 1024 + 2);
      }
    }
  });

  it("let one event through that is larger than a frame", () => {
    expect(framesOf([Buffer.from(JSON.stringify("x".repeat(20_000)))])).length(1);
  });

  it("of heartbeats take the device ids that REST takes, and no others", () => {
    const openapi = readOpenApi();
    const heartbeat = operationsOf(openapi).find(({ operation }) => operation.operationId === "heartbeat");
    if (!heartbeat) throw new Error("REST has no heartbeat");
    const check = createValidation(openapi).requestCheck(heartbeat.operation);
    const byRest = (body: object) => check({ path: {}, query: {}, header: {}, body }).length === 0;
    const bySocket = (params: object) =>
      readCommand(JSON.stringify({ id: 1, method: "heartbeat", params })).ok;
    const ids = ["tv", "x".repeat(128), "é 漢", "", "x".repeat(129)];
    const controls = ["a\u0000b", "a\nb", "a\u007fb", "a\u009fb", "a\u202eb", "a\u2066b"];

    for (const device_id of [...ids, ...controls]) {
      const params = { stream_id: newId(), device_id };
      expect(bySocket(params), JSON.stringify(device_id)).equal(byRest(params));
    }
    expect(controls.filter((device_id) => bySocket({ stream_id: newId(), device_id }))).deep.equal([]);
  });

  const channel = `chat:${newId()}`;
  for (const frame of [
    [],
    {},
    [{ type: "chat.unknown", channel, seq: 1, data: {} }],
    [{ type: "chat.cleared", channel, data: {} }],
    [{ type: "chat.cleared", channel, seq: 0, data: {} }],
    [{ type: "chat.message", channel, seq: 1, data: { content: "hi" } }],
    [{ type: "reply", id: 1 }],
    [{ type: "mod.action", channel, seq: 4, data: {} }],
    [{ type: "hello", data: {} }],
  ]) {
    it(`of the form ${JSON.stringify(frame).slice(0, 60)} are not the contract's`, () => {
      expect(problemsInFrame(frame)).not.deep.equal([]);
    });
  }

  for (const [text, ok] of [
    [`{"id":1,"method":"ping"}`, true],
    [`{"id":"a","method":"subscribe","params":{"channel":"${channel}","after":"1:2"}}`, true],
    [`{"id":1,"method":"subscribe","params":{"channel":"${channel}","after":"1"}}`, false],
    [`{"id":1,"method":"subscribe","params":{"channel":"room:1"}}`, false],
    [`{"id":1,"method":"chat.send","params":{"channel":"${channel}","content":{"$ne":1}}}`, false],
    [`{"id":1,"method":"chat.send","params":{"channel":"${channel}","content":"a","nonce":"ä"}}`, false],
    [`{"id":1,"method":"chat.send","params":{"channel":"${channel}","content":"a","user_id":"x"}}`, false],
    [`{"id":1,"method":"chat.command","params":{"channel":"${channel}","command":"/ban a \\ud83d"}}`, false],
    [
      `{"id":1,"method":"chat.command","params":{"channel":"${channel}","command":"/ban a \\ud83d\\ude00"}}`,
      true,
    ],
    [`{"id":"\\udc00","method":"ping"}`, false],
    [`{"id":1,"method":"constructor"}`, false],
    [`{"id":1,"method":"ping","extra":1}`, false],
    [`{"id":1.5,"method":"ping"}`, false],
  ] as const) {
    it(`${ok ? "read" : "refuse"} ${text.slice(0, 90)}`, () => {
      expect(readCommand(text).ok).equal(ok);
    });
  }
});
