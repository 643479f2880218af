import { hasFields } from "../../stress/parent.ts";

export type CrowdInput = {
  database: string;
  port: number;
  streamId: string;
  sockets: number;
  perSecond: number;
};

export type CrowdReport = {
  /** Which stop it answers. */
  report: number;
  /** Since it last began to talk. */
  said: number;
  refused: number;
  /** Sockets that haven't been shown everything. */
  behind: number;
  missing: number;
  repeated: number;
  frames: number;
  events: number;
  /** Of one of the sockets, from a message's sending on, ms; since it last began to talk. */
  delays: number[];
  /** When each message was answered; since it last began to talk. */
  answers: [seq: number, at: number][];
};

export function isCrowdReport(message: unknown): message is CrowdReport {
  return hasFields(message, "report", "said", "behind", "delays", "answers");
}

export function isWatching(message: unknown): message is { watching: number } {
  return hasFields(message, "watching");
}
