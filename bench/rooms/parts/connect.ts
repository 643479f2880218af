import { CONTENDERS, type ContenderName } from "../contenders.ts";
import type { ConnectFigures } from "../load/calls.ts";
import { startLoad } from "../load-generator.ts";
import type { Stage } from "../stage.ts";

/** Sockets that come first, so that the code is warm. */
const FIRST = 1_000;

/** So many clients join one room and receive their confirmation: with a ticket each for ours. */
export async function connects(stage: Stage, name: ContenderName, clients: number): Promise<ConnectFigures> {
  const scene = { rooms: 1, viewersEach: FIRST + clients, senders: 0 };
  const served = await CONTENDERS[name].open(stage, scene);
  try {
    const load = await startLoad(served.setting);
    try {
      const viewers = await served.viewers();
      await load.connect(viewers.slice(0, FIRST), []);
      return await load.connect(viewers.slice(FIRST), []);
    } finally {
      await load.close();
    }
  } finally {
    await served.close();
  }
}
