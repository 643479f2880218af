import type { JsonObject } from "../json.ts";

/** What one kind of messages adds to the document's components. */
export type Parts = { schemas: JsonObject; messages: JsonObject };

export const refTo = (schema: string) => ({ $ref: `#/components/schemas/${schema}` });

/** "chat.user_banned" becomes "ChatUserBanned". */
export const pascal = (name: string): string =>
  name
    .split(/[._]/)
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join("");
