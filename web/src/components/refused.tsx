import { faultOf, problemOf } from "../site/problems.ts";

/** Why a form was refused, unless one of its fields says so itself. */
export function Refused({ refusal, fields = [] }: { refusal: unknown; fields?: readonly string[] }) {
  if (refusal === null || fields.some((field) => faultOf(refusal, field) !== null)) return null;
  return (
    <p class="fault" role="alert">
      {problemOf(refusal)}
    </p>
  );
}
