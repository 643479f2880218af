// What other contexts of this row may know of chat.
export { changeOf, type ModerationChange } from "./moderation/moderation-log.ts";
