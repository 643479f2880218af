import type { ErrorCode } from "../../../contract/errors.ts";

/** What may be true of the account that an operation names, or whose channel it names, or of the thing itself. */
export const CONDITIONS = ["banned", "deleted", "blocked", "private"] as const;
export type Condition = (typeof CONDITIONS)[number];

/** `there`: it isn't refused as missing or as blocked, whatever else it answers. */
export type Expectation = "there" | ErrorCode;
