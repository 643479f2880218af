import Type from "typebox";

/** The payload of a hook may hold more than is known here. */
export const open = <P extends Parameters<typeof Type.Object>[0]>(properties: P) =>
  Type.Object(properties, { additionalProperties: true });

export const url = Type.String({ pattern: "^https?://", maxLength: 2_048 });
