import { keys } from "../keys.ts";
import type { RedisConnection } from "../nodes.ts";
import { fieldsOf, scriptAt } from "./script.ts";

const script = scriptAt(new URL("./load-room.lua", import.meta.url));

export type RoomState = {
  /** Packed, see realtime/rooms/modes.ts. */
  modes: string;
  /** StreamDoc.chatVersion, read before everything else here. */
  chatVersion: number;
  roles: readonly { userId: string; role: string }[];
  /** `untilMs` 0 is for good. */
  bans: readonly { userId: string; untilMs: number }[];
};

/** Safe to run by many workers at once: the first one's state stays. */
export async function loadRoom(
  redis: RedisConnection,
  streamId: string,
  runId: string,
  state: RoomState,
): Promise<{ epoch: number; seq: number }> {
  const [epoch, seq] = fieldsOf(
    await script(
      redis,
      [keys.roomState(streamId), keys.roomLog(streamId)],
      [
        runId,
        state.modes,
        String(state.chatVersion),
        ...state.roles.flatMap(({ userId, role }) => [`r:${userId}`, role]),
        ...state.bans.flatMap(({ userId, untilMs }) => [`b:${userId}`, String(untilMs)]),
      ],
    ),
  );
  return { epoch: Number(epoch), seq: Number(seq) };
}
