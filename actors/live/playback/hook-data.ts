import Type from "typebox";

/** Payloads of hooks may contain fields that aren't known here. */
export const open = <P extends Parameters<typeof Type.Object>[0]>(properties: P) =>
  Type.Object(properties, { additionalProperties: true });

export const url = Type.String({ pattern: "^https?://", maxLength: 2_048 });

/** A file of a clip or recording. Becomes part of a signed URL, so it must not lead out of its folder. */
export const filePath = Type.String({
  pattern: "^[A-Za-z0-9_-]+(/[A-Za-z0-9_-]+)*\\.[A-Za-z0-9]{2,5}$",
  maxLength: 200,
});

/** RFC 3339; whether it is a day of the calendar is checked by the document. */
export const time = Type.String({
  pattern: "^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d{1,9})?(Z|[+-]\\d{2}:\\d{2})$",
});
