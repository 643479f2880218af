import type { Opening } from "./dialects.ts";
import type { LoadSetting } from "./load/calls.ts";
import type { OwnRedis } from "./own-redis.ts";
import type { Stage } from "./stage.ts";

/** What is there to be served: rooms with so many viewers each, and people who talk in them in turn. */
export type Scene = {
  rooms: number;
  viewersEach: number;
  senders: number;
  /** Ours alone: no peer has any. "every": all modes at once; "vips": the talkers may say more than others. */
  rules?: "none" | "every" | "vips";
};

export type Served = {
  setting: LoadSetting;
  redis: OwnRedis | null;
  /** The ways in, good for 30 s. */
  viewers(): Promise<{ room: number; opening: Opening }[]>;
  senders(): Promise<Opening[]>;
  close(): Promise<void>;
};

export type Contender = {
  title: string;
  open(stage: Stage, scene: Scene, options?: Options): Promise<Served>;
};

/** `measured`: with a garbage collector that can be triggered, for figures of memory. */
export type Options = { measured?: boolean; profileTo?: string };

/** For processes whose memory is measured. */
export const MEASURED = ["--expose-gc", "--import", new URL("./servers/collect.mjs", import.meta.url).href];
