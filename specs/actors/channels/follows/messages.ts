import type { Db } from "mongodb";
import { usersIn } from "../../../../store/mongo/users.ts";
import { ServiceError } from "../../../contract/errors.ts";
import { hasFields } from "../../../stress/parent.ts";
import type { Point } from "../../crash/points.ts";

/** What the process that dies is started with. */
export type Input = { database: string; channel: string; fan: string; dieAt: Point | null };

/** It came to the end alive: the points on the way. */
export type Passed = { passed: Point[] };
export const isPassed = (message: unknown): message is Passed => hasFields(message, "passed");

export const requireUserIn = (db: Db) => async (userId: string) => {
  const user = await usersIn(db).find(userId);
  if (!user) throw new ServiceError("not_found");
  return user;
};
