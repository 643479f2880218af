import { expect } from "chai";
import { newId } from "../../../base/ids.ts";
import { RecentEvents } from "../../../realtime/gateway/feed/recent-events.ts";
import type { Redaction, RoomEvent } from "../../../realtime/rooms/event.ts";

const EPOCH = 7;

describe("What a worker still has of a room", () => {
  const [nice, nasty] = [newId(), newId()];
  const uuids = [newId(), newId(), newId()];
  /** Two of one user with another's in between. */
  const logged = [nasty, nice, nasty].map((userId, i): RoomEvent => {
    const data = { uuid: uuids[i], user_id: userId, content: `text ${i}` };
    const payload = Buffer.from(`{"type":"chat.message","seq":${i + 1},"data":${JSON.stringify(data)}}`);
    return { epoch: EPOCH, seq: i + 1, payload };
  });
  const log = { after: async () => logged };
  const shown = (events: RecentEvents) => {
    const frames = events.framesAfter({ epoch: EPOCH, seq: 0 }, { epoch: EPOCH, seq: 3 }) ?? [];
    const messages: { data: { content: string } }[] = frames.flatMap((frame) => JSON.parse(frame.toString()));
    return messages.map(({ data }) => data.content);
  };

  const cases: [what: string, redactions: Redaction[], left: string[]][] = [
    ["a deletion", [{ kind: "delete", uuid: uuids[1] ?? "" }], ["text 0", "", "text 2"]],
    ["a ban for good", [{ kind: "hide", userId: nasty }], ["", "text 1", ""]],
    ["a clear", [{ kind: "clear" }], ["", "", ""]],
  ];
  for (const [what, redactions, left] of cases) {
    it(`loses the texts that ${what} takes, also from what was made ready for others`, () => {
      const stats = { replayReads: 0, replayShared: 0, ringReplays: 0 };
      const events = new RecentEvents({ streamId: newId(), log, stats });
      for (const event of logged) events.push(event);
      expect(shown(events)).deep.equal(["text 0", "text 1", "text 2"]);

      events.redact(JSON.stringify(redactions));

      expect(shown(events)).deep.equal(left);
    });
  }
});
