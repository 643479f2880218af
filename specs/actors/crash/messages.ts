import { hasFields } from "../../stress/parent.ts";
import type { Point } from "./points.ts";
import type { Stage } from "./scenario.ts";

/** What the process that dies is started with: where to work, and where what it tells is kept. */
export type Input = { database: string; list: string };

/** What it is then given to do; `now` is its clock at the start, in Unix ms. */
export type Task = { scenario: string; stage: Stage; now: number; dieAt: Point | null };

export const isTask = (message: unknown): message is Task => hasFields(message, "scenario", "stage", "now");

/** Whoever asked has heard this. */
export const isAnswer = (message: unknown): message is { answered: string; answer: string } =>
  hasFields(message, "answered", "answer");

/** It came to the end alive: the points on the way, and how many errors it logged. */
export const isEnd = (message: unknown): message is { passed: Point[]; errors: number } =>
  hasFields(message, "passed", "errors");
