import { useState } from "preact/hooks";
import type { Schemas } from "../../site/page-data.ts";
import { problemOf } from "../../site/problems.ts";
import { type Read, useRead } from "../../site/read.ts";
import { client } from "../../site/session.ts";
import { say } from "../../site/toasts.ts";
import { useInTurn } from "../in-turn.ts";
import { useRoomTopic, whenRoomMissed } from "../room-topic.ts";

type Modes = Schemas["ChatModes"];
export type ModesOfRoom = {
  read: Read<Modes>;
  isBusy: boolean;
  /** What refuses it, a toast says. */
  change(change: Schemas["ChatSettingsUpdate"]): void;
};

/** A room's modes, as its events tell them, and what changes them. */
export function useModes(streamId: string): ModesOfRoom {
  const path = { stream_id: streamId };
  const read = useRead("getChatModes", { path });
  /** Several switches are pressed one after the other. */
  const [waiting, setWaiting] = useState(0);
  const inTurn = useInTurn();
  useRoomTopic(streamId, (room) => [
    ...whenRoomMissed(room, read.again),
    room.on("chat.modes", ({ data }) => read.change(() => data)),
  ]);
  return {
    read,
    isBusy: waiting > 0,
    change(body) {
      setWaiting((before) => before + 1);
      void inTurn(async () => {
        try {
          await client.call("updateChatSettings", { path, body });
          read.again();
        } catch (err) {
          say(problemOf(err), { isProblem: true });
        }
        setWaiting((before) => before - 1);
      });
    },
  };
}
