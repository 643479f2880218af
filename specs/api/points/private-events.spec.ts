import { expect } from "chai";
import { Socket } from "../../realtime/gateway/world.ts";
import { movableClock } from "../../support/clock.ts";
import { eventually } from "../../support/eventually.ts";
import { setUpWorld } from "../../support/set-up-world.ts";

type Changed = { channel_user_id: string; balance: number; version: number; reason: string };

describe("a user's balance over the own socket", () => {
  const { world, given } = setUpWorld({ clock: movableClock() });
  const sockets: Socket[] = [];
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.terminate();
  });

  it("changes in the order of its versions, whichever cause published it: bets and a follow at once", async () => {
    for (let round = 0; round < 4; round++) {
      const channel = await given.liveChannel();
      const user = await given.user();
      await world.core.points.earnFollow(user.id, channel.owner.id);
      const prediction = await channel.owner.api.ok("createPrediction", {
        params: channel.at,
        body: { title: "Who?", outcomes: [{ title: "us" }, { title: "them" }], duration_seconds: 60 },
      });
      const { ticket } = await user.api.ok("createWsTicket");
      const socket = new Socket(
        `${world.baseUrl.replace("http", "ws")}/v1/ws/user?ticket=${ticket}`,
        undefined,
        {},
      );
      sockets.push(socket);
      await socket.next("subscribed");
      const params = { prediction_id: prediction.id };
      const outcome_id = prediction.outcomes[0]?.id ?? "";

      for (const amount of [10, 20]) await user.api.ok("placeBet", { params, body: { outcome_id, amount } });
      const other = await given.channel();
      await user.api.ok("followUser", { params: { user_id: other.owner.id } });
      await user.api.ok("placeBet", { params, body: { outcome_id, amount: 30 } });
      await channel.owner.api.ok("cancelPrediction", { params });

      const here = () =>
        socket
          .ofType("points.changed")
          .map(({ data }) => data as Changed)
          .filter(({ channel_user_id }) => channel_user_id === channel.owner.id);
      await eventually(() => here().length >= 4);
      const versions = here().map(({ version }) => version);
      expect(versions).deep.equal([...versions].sort((a, b) => a - b));
      expect(here().at(-1)).include({ balance: 300, reason: "refund" });
      await eventually(() => socket.ofType("prediction.result").length === 1);
      expect(socket.problems).deep.equal([]);
    }
  });
});
