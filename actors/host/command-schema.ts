/** The JSON Schema of a command: its type and exactly these properties, all of them required. */
export const commandSchema = (type: string, properties: Record<string, object> = {}) => ({
  type: "object",
  required: ["type", ...Object.keys(properties)],
  additionalProperties: false,
  properties: { type: { const: type }, ...properties },
});
