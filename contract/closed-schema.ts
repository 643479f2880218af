/**
 * The same schema, but objects with listed fields allow no others: an undocumented field may be a secret that leaks. For
 * checks of the service;
 * clients accept unknown fields.
 */
export function closedSchema<Schema>(schema: Schema): Schema {
  return JSON.parse(
    JSON.stringify(schema, (_key, value: unknown) =>
      typeof value === "object" &&
      value !== null &&
      "properties" in value &&
      "type" in value &&
      value.type === "object" &&
      !("additionalProperties" in value)
        ? { ...value, additionalProperties: false }
        : value,
    ),
  );
}
