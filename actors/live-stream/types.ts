import type { BroadcastDoc } from "../../store/mongo/broadcasts.ts";
import type { StreamDoc } from "../../store/mongo/streams.ts";
import type { UserDoc } from "../../store/mongo/users.ts";
import type { LiveStreamContext, LiveStreamEffects, LiveStreamEvent, LiveStreamInput } from "./machine.ts";

export type LiveStreamCommand =
  /** `keyHash` is of the key that the publisher showed; `sessionId` is new, for the case that a broadcast begins. */
  | { type: "published"; clientId: string; sessionId: string; keyHash: string }
  | { type: "publishEnded"; clientId: string }
  | { type: "keyRotated" }
  | { type: "ownerBanned" };

export type LiveStreamReads = {
  /** The stream's key and its owner's standing; only looked up for a publisher. */
  stream: Pick<StreamDoc, "_id" | "streamKeyHash"> | null;
  owner: Pick<UserDoc, "_id" | "status"> | null;
  /** The running broadcast's figures so far. */
  broadcast: BroadcastDoc | null;
};

export type LiveStreamStatus = "offline" | "starting" | "live" | "interrupted";

export type LiveStreamAnswer = { status: LiveStreamStatus; sessionId: string | null };

export type LiveStreamTypes = {
  command: LiveStreamCommand;
  event: LiveStreamEvent;
  context: LiveStreamContext;
  input: LiveStreamInput;
  effects: LiveStreamEffects;
  reads: LiveStreamReads;
  answer: LiveStreamAnswer;
};
