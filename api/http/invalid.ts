import { ServiceError } from "../../specs/contract/errors.ts";

/** One complaint: `path` is a JSON pointer from the request's part ("/body/title", "/query/page"). */
export type InvalidPart = { path: string; rule: string; message: string };

export function invalid(errors: InvalidPart[]): ServiceError {
  return new ServiceError("validation_failed", { errors });
}
