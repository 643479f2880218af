import { newId } from "../../store/ids.ts";
import { defaultChatModes, type StreamDoc } from "../../store/mongo/streams.ts";

/** A stream as it is stored, offline, of an owner that nobody knows unless `change` names one. */
export function streamDoc(change: Partial<StreamDoc> = {}): StreamDoc {
  const now = new Date();
  return {
    _id: newId(),
    userId: newId(),
    roomId: Math.floor(Math.random() * 2 ** 40),
    name: "a channel",
    thumbnailUrl: null,
    categoryId: null,
    language: null,
    isMature: false,
    tags: [],
    ingressId: newId(),
    mediaStreamId: null,
    ingressPullUrl: null,
    streamKeyHash: newId(),
    streamKeySealed: "sealed",
    isLive: false,
    liveSince: null,
    sessionId: null,
    modes: defaultChatModes,
    chatVersion: 0,
    viewerCount: 0,
    createdAt: now,
    updatedAt: now,
    ...change,
  };
}
