import { hasFields } from "../../stress/parent.ts";

export type CrowdInput = {
  database: string;
  port: number;
  streamId: string;
  sockets: number;
  perSecond: number;
};

export type CrowdReport = {
  /** The id of the stop that it answers. */
  report: number;
  /** Since the last start of the talk. */
  sent: number;
  refused: number;
  /** Sockets that haven't received everything. */
  behind: number;
  missing: number;
  repeated: number;
  frames: number;
  events: number;
  /** Delays of one socket from a message's sending, ms; since the last start of the talk. */
  delays: number[];
  /** When each message was answered; since the last start of the talk. */
  answers: [seq: number, at: number][];
};

export function isCrowdReport(message: unknown): message is CrowdReport {
  return hasFields(message, "report", "sent", "behind", "delays", "answers");
}

export function isWatching(message: unknown): message is { watching: number } {
  return hasFields(message, "watching");
}
