import type { JsonObject } from "../json.ts";

/** The components of one kind of messages. */
export type Parts = { schemas: JsonObject; messages: JsonObject };

export const refTo = (schema: string) => ({ $ref: `#/components/schemas/${schema}` });

/** "chat.user_banned" becomes "ChatUserBanned". */
export const pascal = (name: string): string =>
  name
    .split(/[._]/)
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join("");
