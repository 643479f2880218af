import { hasFields } from "../../stress/parent.ts";
import type { Point } from "../host/crash/points.ts";

/** The input of the process that dies. */
export type Input = { database: string; dieAt: Point | null };
export const isInput = (given: unknown): given is Input => hasFields(given, "database", "dieAt");

/** Sent when it finished alive: the points that it passed. */
export type Passed = { passed: Point[] };
export const isPassed = (message: unknown): message is Passed => hasFields(message, "passed");
