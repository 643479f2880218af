import { hasFields } from "../../stress/parent.ts";
import type { Point } from "../crash/points.ts";

/** What the process that dies is started with. */
export type Input = { database: string; dieAt: Point | null };
export const isInput = (given: unknown): given is Input => hasFields(given, "database", "dieAt");

/** It came to the end alive: the points on the way. */
export type Passed = { passed: Point[] };
export const isPassed = (message: unknown): message is Passed => hasFields(message, "passed");
