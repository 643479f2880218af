import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";

/** One for all hosts: what makes it is dear, its schemas are not. */
const ajv = new Ajv2020({ strict: true, allowUnionTypes: true });

const compiled = new WeakMap<object, ValidateFunction>();

/** The schema's check, made once. */
export function checkOf(schema: object): ValidateFunction {
  const known = compiled.get(schema);
  if (known) return known;
  const made = ajv.compile(schema);
  compiled.set(schema, made);
  return made;
}

/** The JSON Schema of an object with exactly these properties, all of them required. */
export const exactly = (properties: Record<string, object>) => ({
  type: "object",
  required: Object.keys(properties),
  additionalProperties: false,
  properties,
});

/** The JSON Schema of a command: its type and exactly these properties. */
export const commandSchema = (type: string, properties: Record<string, object> = {}) =>
  exactly({ type: { const: type }, ...properties });
