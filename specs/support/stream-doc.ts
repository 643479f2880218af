import { newId } from "../../base/ids.ts";
import { newStreamDoc, type StreamDoc } from "../../store/mongo/channels/streams.ts";

/** A stream as it is stored: offline, with an unknown owner unless `change` names one. */
export function streamDoc(change: Partial<StreamDoc> = {}): StreamDoc {
  const own = {
    _id: newId(),
    userId: newId(),
    roomId: Math.floor(Math.random() * 2 ** 40),
    name: "a channel",
    streamKeyHash: newId(),
    streamKeySealed: "sealed",
  };
  return { ...newStreamDoc(own, new Date()), ...change };
}
