import { newId } from "./ids.ts";

const HARMLESS = /^[A-Za-z0-9_-]{8,64}$/;

/** What names a request in logs: the id that it came with, where that has a harmless form, or a new one. */
export const requestIdOf = (given: string | string[] | undefined): string =>
  typeof given === "string" && HARMLESS.test(given) ? given : newId();
