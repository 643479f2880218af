import type { FcmSettings } from "../../../actors/notifications/push/fcm.ts";
import { hasFields } from "../../stress/parent.ts";

/** The input of the process that dies. */
export type Input = { database: string; settings: FcmSettings; url: string };
export const isInput = (given: unknown): given is Input => hasFields(given, "database", "settings", "url");
