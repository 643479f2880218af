import { isObject, type JsonObject } from "../../../../contract/json.ts";

/** The object at a path of names. */
export function at(document: JsonObject, ...names: string[]): JsonObject {
  let found: unknown = document;
  for (const name of names) found = isObject(found) ? found[name] : undefined;
  if (!isObject(found)) throw new Error(`there is nothing at ${names.join(" ")}`);
  return found;
}

export type Change = (document: JsonObject) => void;
export const operation = (document: JsonObject, method: string, path: string) =>
  at(document, "paths", path, method);
export const schema = (document: JsonObject, name: string) => at(document, "components", "schemas", name);
export const property = (document: JsonObject, name: string, field: string) =>
  at(schema(document, name), "properties", field);
export const without = (object: JsonObject, key: string): void => void delete object[key];
export const addTo = (list: unknown, ...items: unknown[]): void =>
  void (Array.isArray(list) && list.push(...items));
export const takeFrom = (list: unknown, item: unknown): void =>
  void (Array.isArray(list) && list.splice(list.indexOf(item), list.includes(item) ? 1 : 0));

/** A parameter, following references to shared ones. */
export const parameter = (document: JsonObject, method: string, path: string, name: string): JsonObject => {
  const list = operation(document, method, path).parameters;
  const found = Array.isArray(list) ? list.find((one) => isObject(one) && one.name === name) : undefined;
  if (!isObject(found)) throw new Error(`there is no parameter ${name}`);
  return found;
};

export const firstOf = (list: unknown): unknown => (Array.isArray(list) ? list[0] : undefined);
export function each(list: unknown, change: (one: JsonObject) => void): void {
  if (Array.isArray(list)) for (const one of list) if (isObject(one)) change(one);
}
