import { newId } from "./ids.ts";

const SAFE_ID = /^[A-Za-z0-9_-]{8,64}$/;

/** A request's id in logs: the one that it came with, if that is safe to log, else a new one. */
export const requestIdOf = (given: string | string[] | undefined): string =>
  typeof given === "string" && SAFE_ID.test(given) ? given : newId();
