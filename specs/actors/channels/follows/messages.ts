import type { Db } from "mongodb";
import { ServiceError } from "../../../../contract/errors.ts";
import { usersIn } from "../../../../store/mongo/accounts/users.ts";
import { hasFields } from "../../../stress/parent.ts";
import type { Point } from "../../host/crash/points.ts";

/** The input of the process that dies. */
export type Input = { database: string; channel: string; fan: string; dieAt: Point | null };

/** Sent when it finished alive: the points that it passed. */
export type Passed = { passed: Point[] };
export const isPassed = (message: unknown): message is Passed => hasFields(message, "passed");

export const requireUserIn = (db: Db) => async (userId: string) => {
  const user = await usersIn(db).find(userId);
  if (!user) throw new ServiceError("not_found");
  return user;
};
