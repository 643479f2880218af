/**
 * The same schema with every object that lists its fields closed to others: a field that a document doesn't know may be a
 * secret that leaks. For those who check what the service says; clients take what they don't know as it is.
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
