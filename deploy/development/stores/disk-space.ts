import { statfs } from "node:fs/promises";
import type { Log } from "../../../base/log.ts";
import { createPolling } from "../../../base/polling.ts";

const CHECK_EVERY_MS = 30_000;
const LOW = 0.1;
const VERY_LOW = 0.05;

type Level = "enough" | "low" | "very low";

const levelOf = (free: number): Level => (free < VERY_LOW ? "very low" : free < LOW ? "low" : "enough");

/** The part of a folder's disk that is free for this user, 0 to 1. */
const freeOf = async (folder: string): Promise<number> => {
  const { bavail, blocks } = await statfs(folder);
  return blocks === 0 ? 1 : bavail / blocks;
};

/**
 * Warns when less than 10 % of the disk of our stores' data is free, and again below 5 %: a full disk ends them. Throws if the
 * folder can't be read.
 */
export async function watchDiskSpace({
  folder,
  log,
  readFree = freeOf,
  everyMs = CHECK_EVERY_MS,
}: {
  folder: string;
  log: Log;
  readFree?: (folder: string) => Promise<number>;
  everyMs?: number;
}) {
  let last: Level = "enough";

  async function check(): Promise<void> {
    const free = await readFree(folder);
    const level = levelOf(free);
    if (level === last) return;
    last = level;
    const about = { folder, freePercent: Math.round(free * 1_000) / 10 };
    if (level === "very low") log.error(about, "disk space very low: stores end when it runs out");
    else if (level === "low") log.warn(about, "disk space low");
    else log.info(about, "disk space sufficient again");
  }

  const polling = createPolling({ everyMs, poll: check, what: "check of the disk space", log });
  await polling.start();
  return polling;
}
