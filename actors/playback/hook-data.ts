import Type from "typebox";

/** Payloads of hooks may contain fields that aren't known here. */
export const open = <P extends Parameters<typeof Type.Object>[0]>(properties: P) =>
  Type.Object(properties, { additionalProperties: true });

export const url = Type.String({ pattern: "^https?://", maxLength: 2_048 });
