import { expect } from "chai";
import type { ServerMessage } from "../../../contract/frames.ts";
import { ClientTrace } from "./client-trace.ts";
import { RoomRecord } from "./room-record.ts";
import { expectFlawless, judge, type Verdict } from "./verdict.ts";

const channel = "chat:spec";
const subscribed = (epoch: number, seq: number, recovered: boolean | null): ServerMessage => ({
  type: "subscribed",
  channel,
  data: { epoch, seq, recovered },
});
const epoch = (to: number, continuous: boolean): ServerMessage => ({
  type: "room.epoch",
  channel,
  data: { epoch: to, continuous },
});
const message = (seq: number, uuid = `m${seq}`, content = `text of ${uuid}`): ServerMessage => ({
  type: "chat.message",
  channel,
  seq,
  data: { uuid, content },
});

type Figures = Partial<Record<keyof Verdict, number>>;

/** One room whose clients were shown these; acknowledged and stored are uuids. */
function judged(clients: ServerMessage[][], acknowledged: string[], stored = acknowledged): Verdict {
  const record = new RoomRecord("spec");
  for (const uuid of acknowledged) record.acknowledged.add(uuid);
  const traces = clients.map((messages) => {
    const trace = new ClientTrace();
    for (const one of messages) {
      const place = trace.receive(one);
      if (place) record.shown(place, one);
    }
    return trace;
  });
  return judge([{ record, traces, history: stored }]);
}

describe("The checker", () => {
  const whole = [subscribed(5, 0, null), message(1), message(2), message(3)];
  const all = ["m1", "m2", "m3"];

  it("finds nothing wrong with a client that resumes, and with one that comes later", () => {
    const resumed = [subscribed(5, 0, null), message(1), subscribed(5, 3, true), message(2), message(3)];
    const late = [subscribed(5, 2, null), message(3)];

    expectFlawless(judged([whole, resumed, late], all));
  });

  it("takes an announced gap for what it is", () => {
    const resubscribed = [subscribed(5, 0, null), message(1), subscribed(5, 2, false), message(3)];
    const restarted = [...whole, epoch(6, false), message(2, "n2")];
    const goesOn = [...whole, epoch(6, true), message(1, "n1"), message(2, "n2")];

    const verdict = judged([resubscribed, restarted, goesOn], [...all, "n1", "n2"]);

    // The first doesn't know of the new epoch: it is behind, and nothing was announced to it.
    expect(verdict).include({
      announcedGaps: 2,
      announcedMissing: 2,
      missing: 2,
      silent: 0,
      doubled: 0,
      conflicts: 0,
    });
  });

  it("takes a message that only history has for one before the announced gap, if there is one", () => {
    const restarted = [...whole, epoch(6, false), message(2, "n2")];
    const goesOn = [...whole, epoch(6, true), message(1, "n1"), message(2, "n2")];
    const stored = [...all, "unseen", "n2"];

    expectFlawless(judged([restarted], stored));
    expect(judged([goesOn], [...all, "unseen", "n1", "n2"])).include({ missing: 1 });
    expect(judged([restarted], [...all, "n2", "unseen"])).include({ missing: 1 });
    expect(judged([[...whole, message(4)]], [...all, "unseen", "m4"])).include({ missing: 1 });
  });

  const flawed: [string, ServerMessage[], Figures][] = [
    ["a number that is jumped", [subscribed(5, 0, null), message(1), message(3)], { missing: 2 }],
    ["an end that was never shown", [subscribed(5, 0, null), message(1), message(2)], { missing: 1 }],
    ["an event that comes again", [...whole, message(2)], { doubled: 1 }],
    ["a replay from too far back", [...whole, subscribed(5, 3, true), message(3)], { doubled: 1 }],
    [
      "a beginning anew without notice",
      [subscribed(5, 0, null), message(1), subscribed(5, 3, null)],
      { silent: 1, missing: 2 },
    ],
    ["an epoch that goes on, but not at 1", [...whole, epoch(6, true), message(2, "n2")], { missing: 1 }],
    ["an older epoch", [...whole, epoch(4, true)], { disordered: 1 }],
    [
      "another event in the same place",
      [subscribed(5, 0, null), message(1), message(2, "x"), message(3)],
      { conflicts: 1 },
    ],
    ["a message in two places", [...whole, message(4, "m3")], { conflicts: 2 }],
  ];
  for (const [what, messages, figures] of flawed) {
    it(`sees ${what}`, () => {
      const verdict = judged([whole, messages], all);

      expect(verdict).include(figures);
      expect(() => expectFlawless(verdict)).throw();
    });
  }

  it("takes a text in two messages for one that was sent again where one of them was lost unacknowledged, and only there", () => {
    const again = [...whole, message(4, "m4", "text of m3")];
    const kept = ["m1", "m2", "m4"];
    const onceMore = [...again, message(5, "m5", "text of m3")];

    const verdict = judged([again], kept);

    expect(verdict).include({ sentAgain: 1, conflicts: 0 });
    expect(() => expectFlawless(verdict)).throw();
    expectFlawless(verdict, { mayLose: true });
    expect(judged([again], [...all, "m4"])).include({ sentAgain: 0, conflicts: 1 });
    expect(judged([again], [...all, "m4"], kept)).include({ sentAgain: 0, conflicts: 1 });
    expect(judged([onceMore], ["m1", "m2", "m5"], ["m1", "m2", "m3", "m5"])).include({ conflicts: 1 });
  });

  it("sees what history lacks, doubles or turns round", () => {
    expect(judged([whole], all, ["m1", "m3"])).include({ lost: 1 });
    expect(judged([whole], all, ["m1", "m2", "m2", "m3"])).include({ badHistory: 2 });
    expect(judged([whole], all, ["m1", "m3", "m2"])).include({ badHistory: 1 });
  });
});
