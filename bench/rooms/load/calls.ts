import type { DialectName, Opening } from "../dialects.ts";

/** The calls that the load generator answers, one at a time but for `connect` while a `send` runs. */
export type Call =
  | { name: "prepare"; setting: LoadSetting }
  | { name: "connect"; viewers: { room: number; opening: Opening }[]; senders: Opening[]; atOnce: number }
  | { name: "send"; sending: Sending }
  | { name: "seen" };

export type LoadSetting = {
  port: number;
  dialect: DialectName;
  rooms: string[];
  /** Whose CPU is counted. */
  pids: { servers: number[]; redis: number[] };
  /** Of this machine, that sockets come from. */
  localAddress?: string;
};

export type Sending = {
  /** Messages a second in all, when they are due by the clock; or so many always under way. */
  pace: { perSecond: number } | { inFlight: number };
  warmUpMs: number;
  ms: number;
  /** Every so manieth delivery's latency is kept. */
  sampleEvery: number;
};

export type Cpu = { servers: number; redis: number };

export type ConnectFigures = { ms: number; cpuMs: Cpu; load: Load };

/** What the load generator itself used. `utilisation` of its event loop, 0 to 1. */
export type Load = { cpuMs: number; utilisation: number };

export type SendFigures = {
  messages: number;
  deliveries: number;
  reads: number;
  ms: number;
  cpuMs: Cpu;
  latencyMs: { p50: number; p99: number };
  /** How late messages left, when they were due by the clock: the load generator's own part in the latency. */
  lateMs: { p50: number; p99: number };
  load: Load;
  /** Deliveries that were missing 2 s after the last message was sent. */
  behind: number;
  disorder: number;
  refused: number;
  /** Sockets that the server has closed. */
  closed: number;
};

export type Answer = { id: number; value: unknown } | { id: number; error: string };
