import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import Type, { type Static, type TLiteral, type TObject, type TProperties, type TSchema } from "typebox";
import { invalid } from "../../contract/errors.ts";

/** Shared by all hosts, since creating it is expensive. A spec validates the schemas themselves, not every start. */
const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, validateSchema: false });

const compiled = new WeakMap<object, ValidateFunction>();

/** The schema's validator, compiled at first use: most processes use few of them, and each takes milliseconds. */
export function validatorOf(schema: object): ValidateFunction {
  const known = compiled.get(schema);
  if (known) return known;
  const validate = ajv.compile(schema);
  compiled.set(schema, validate);
  return validate;
}

/** Throws `validation_failed` for an invalid value; without a schema no value is valid. */
export function requireValid(name: string, value: object, schema: object | undefined): void {
  const check = schema && validatorOf(schema);
  if (check?.(value)) return;
  const errors = (check?.errors ?? []).map(({ instancePath, keyword, message = "is invalid" }) => ({
    path: `/${name}${instancePath}`,
    rule: keyword,
    message,
  }));
  throw invalid(...errors);
}

/** A phantom key for the type checker; schemas don't have it at run time. */
declare const values: unique symbol;

type Accepts<Value> = { readonly [values]?: Value };

/** A schema of objects, with the type of the values that it accepts. */
export type SchemaOf<Value> = TSchema & { type: "object"; properties: TProperties } & Accepts<Value>;

type ValueOf<Properties extends TProperties> = keyof Properties extends never
  ? Record<string, never>
  : Static<TObject<Properties>>;
type Exactly<Properties extends TProperties> = TObject<Properties> & Accepts<ValueOf<Properties>>;

/** An object with exactly these properties, all of them required. */
export const exactly = <Properties extends TProperties>(properties: Properties): Exactly<Properties> =>
  Type.Object(properties, { additionalProperties: false });

export const orNull = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()]);

/** Ids and other identifiers that the service generates. */
export const identifier = Type.String({ minLength: 1, maxLength: 128 });

/** A non-negative integer: amounts, and times in Unix ms. */
export const count = Type.Integer({ minimum: 0 });

type Commands<Fields extends Record<string, TProperties>> = {
  [Name in keyof Fields & string]: Exactly<{ type: TLiteral<Name> } & Fields[Name]>;
};

/** The schemas of a machine's commands, from the fields that each has besides its type. */
export function commandsOf<Fields extends Record<string, TProperties>>(fields: Fields): Commands<Fields> {
  const schemas = Object.entries(fields).map(([type, own]) => [
    type,
    exactly({ type: Type.Literal(type), ...own }),
  ]);
  return Object.fromEntries(schemas);
}

/** The union of what these schemas accept. */
export type CommandOf<Schemas extends Record<string, TSchema>> = {
  [Name in keyof Schemas]: Static<Schemas[Name]>;
}[keyof Schemas];

export type { Static };
