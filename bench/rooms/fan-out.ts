import { CONTENDERS, type ContenderName } from "./contenders.ts";
import type { SendFigures, Sending } from "./load/calls.ts";
import { startLoad } from "./load-generator.ts";
import type { Scene } from "./scene.ts";
import type { Stage } from "./stage.ts";

type FanOut = { scene: Scene; sending: Sending };

/** One contender, one scene, started anew and ended again. */
export async function fanOut(
  stage: Stage,
  name: ContenderName,
  { scene, sending }: FanOut,
  profileTo?: string,
): Promise<SendFigures> {
  const served = await CONTENDERS[name].open(stage, scene, profileTo ? { profileTo } : {});
  try {
    const load = await startLoad(served.setting);
    try {
      await load.connect(await served.viewers(), await served.senders());
      return await load.send(sending);
    } finally {
      await load.close();
    }
  } finally {
    await served.close();
  }
}
