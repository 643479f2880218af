import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import Type, { type Static, type TLiteral, type TObject, type TProperties, type TSchema } from "typebox";
import { ServiceError } from "../../specs/contract/errors.ts";

/** One for all hosts: what makes it is dear. That its schemas are schemas is seen by a spec, not at every start. */
const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, validateSchema: false });

const compiled = new WeakMap<object, ValidateFunction>();

/** The schema's check, made at its first use: most processes use few of them, and each takes milliseconds. */
export function checkOf(schema: object): ValidateFunction {
  const known = compiled.get(schema);
  if (known) return known;
  const made = ajv.compile(schema);
  compiled.set(schema, made);
  return made;
}

/** Throws `validation_failed`; without a schema there is nothing that would be valid. */
export function requireValid(name: string, value: object, schema: object | undefined): void {
  const check = schema && checkOf(schema);
  if (check?.(value)) return;
  const errors = (check?.errors ?? []).map(({ instancePath, keyword, message = "is invalid" }) => ({
    ...{ path: `/${name}${instancePath}`, rule: keyword, message },
  }));
  throw new ServiceError("validation_failed", { errors });
}

/** Known to the compiler alone: a schema doesn't have it. */
declare const values: unique symbol;

type LetsIn<Value> = { readonly [values]?: Value };

/** A schema of objects, with the type of those that it lets in. */
export type SchemaOf<Value> = TSchema & { type: "object"; properties: TProperties } & LetsIn<Value>;

type ValueOf<Properties extends TProperties> = keyof Properties extends never
  ? Record<string, never>
  : Static<TObject<Properties>>;
type Exactly<Properties extends TProperties> = TObject<Properties> & LetsIn<ValueOf<Properties>>;

/** An object with exactly these properties, all of them required. */
export const exactly = <Properties extends TProperties>(properties: Properties): Exactly<Properties> =>
  Type.Object(properties, { additionalProperties: false });

export const orNull = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()]);

/** Ids, and other words that the service makes. */
export const word = Type.String({ minLength: 1, maxLength: 128 });

/** An integer that is never negative: amounts, and times in Unix ms. */
export const count = Type.Integer({ minimum: 0 });

type Commands<Fields extends Record<string, TProperties>> = {
  [Name in keyof Fields & string]: Exactly<{ type: TLiteral<Name> } & Fields[Name]>;
};

/** The schemas of a machine's commands, of the fields that each has beside its type. */
export function commandsOf<Fields extends Record<string, TProperties>>(fields: Fields): Commands<Fields> {
  const made = Object.entries(fields).map(([type, own]) => [
    type,
    exactly({ type: Type.Literal(type), ...own }),
  ]);
  return Object.fromEntries(made);
}

/** What these schemas let in. */
export type CommandOf<Schemas extends Record<string, TSchema>> = {
  [Name in keyof Schemas]: Static<Schemas[Name]>;
}[keyof Schemas];

export type { Static };
