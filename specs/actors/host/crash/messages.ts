import { hasFields } from "../../../stress/parent.ts";
import type { Point } from "./points.ts";
import type { Stage } from "./scenario.ts";

/** The input of the process that dies: where to work, and where its events are recorded. */
export type Input = { database: string; list: string };

/** Its task; `now` is its clock at the start, in Unix ms. */
export type Task = { scenario: string; stage: Stage; now: number; dieAt: Point | null };

export const isTask = (message: unknown): message is Task => hasFields(message, "scenario", "stage", "now");

/** The answer that a caller got. */
export const isAnswer = (message: unknown): message is { answered: string; answer: string } =>
  hasFields(message, "answered", "answer");

/** Sent when it finished alive: the points that it passed, and how many errors it logged. */
export const isEnd = (message: unknown): message is { passed: Point[]; errors: number } =>
  hasFields(message, "passed", "errors");
