import { isObject, type JsonObject, resolveRef } from "../../../contract/json.ts";
import {
  type DocumentedOperation,
  operationsOf,
  parametersOf,
  readOpenApi,
} from "../../../contract/openapi-document.ts";

/** Staff are shown every account. Machines name what they report about. */
const BESIDES: readonly string[] = ["staff", "system"];

/** What an operation of users names in its query or body, as `createRaid body.target_user_id`. */
export type NamingField = { field: string; called: DocumentedOperation };

const document = readOpenApi();

/** Beside the kinds of things that operations load. */
const PEOPLE_AND_PLACES = "channel|room|username|owner|actor|subject|target|source|subscription|tip";
const KINDS = new Set(operationsOf(document).flatMap(({ operation }) => operation["x-loads"] ?? []));

/** Names of parameters and fields that name a channel, a user or what belongs to one. */
export const NAMING = new RegExp(`(^|_)(${[...KINDS].join("|")}|${PEOPLE_AND_PLACES})(_user)?(_ids?)?$`);

const followed = (node: JsonObject): JsonObject =>
  typeof node.$ref === "string" ? resolveRef(document, node.$ref) : node;

/** Any id counts, whatever its name: ids are what a channel or user is named by. */
const names = (name: string, schema: JsonObject): boolean =>
  schema.format === "uuid" ||
  (NAMING.test(name) && /string|array/.test(String(schema.type))) ||
  (isObject(schema.items) && followed(schema.items).format === "uuid");

function fieldsIn(node: unknown, at: string): string[] {
  if (!isObject(node)) return [];
  const schema = followed(node);
  const alternatives = ["allOf", "anyOf", "oneOf"].flatMap((key) =>
    Array.isArray(schema[key]) ? schema[key] : [],
  );
  const properties = Object.entries(isObject(schema.properties) ? schema.properties : {});
  return [
    ...alternatives.flatMap((one) => fieldsIn(one, at)),
    ...fieldsIn(schema.items, at),
    ...properties.flatMap(([name, property]) => {
      if (!isObject(property)) return [];
      const path = `${at}.${name}`;
      return [...(names(name, followed(property)) ? [path] : []), ...fieldsIn(property, path)];
    }),
  ];
}

function fieldsOf({ operation }: DocumentedOperation): string[] {
  const inQuery = parametersOf(document, operation)
    .filter((parameter) => parameter.in === "query" && names(parameter.name, followed(parameter.schema)))
    .map(({ name }) => `query.${name}`);
  const bodies = Object.values(operation.requestBody?.content ?? {});
  return [...inQuery, ...bodies.flatMap(({ schema }) => fieldsIn(schema, "body"))];
}

export const namingFields: readonly NamingField[] = operationsOf(document)
  .filter(({ operation }) => !BESIDES.includes(operation["x-access"].who))
  .flatMap((called) =>
    fieldsOf(called).map((field) => ({ field: `${called.operation.operationId} ${field}`, called })),
  );
