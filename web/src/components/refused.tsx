import { LivecoreError } from "@livecore/client";
import { faultOf, problemOf } from "../site/problems.ts";
import { me } from "../site/session.ts";
import { TEXTS } from "../texts/texts.ts";

/** Why a form was refused, unless one of its fields says so itself. */
export function Refused({ refusal, fields = [] }: { refusal: unknown; fields?: readonly string[] }) {
  if (refusal === null || fields.some((field) => faultOf(refusal, field) !== null)) return null;
  return (
    <p class="fault" role="alert">
      {isOfCurrentPassword(refusal) ? TEXTS.problems.wrongPassword : problemOf(refusal)}
    </p>
  );
}

/** Users who are signed in are asked for their password alone; the service's sentence is about the whole sign-in. */
const isOfCurrentPassword = (refusal: unknown): boolean =>
  Boolean(me.value) && refusal instanceof LivecoreError && refusal.code === "invalid_credentials";
