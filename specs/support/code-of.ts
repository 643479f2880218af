import { type ErrorCode, ServiceError } from "../../contract/errors.ts";

/** "ok", or the code of the refusal; other errors reject. */
export const codeOf = (call: Promise<unknown>): Promise<ErrorCode | "ok"> =>
  call.then(
    () => "ok",
    (err: unknown) => (err instanceof ServiceError ? err.code : Promise.reject(err)),
  );
