import { isObject, type JsonObject, objectAt } from "../json.ts";

/**
 * Completes what an operation may omit: `tags`, by default those of its file; path parameters that are named by convention
 * (`{user_id}` is `UserId`);
 * `x-errors` when it has none of its own; and a 204 answer.
 */
export function completeLeftOut(document: JsonObject, path: string, tags: unknown): void {
  const item = objectAt(objectAt(document, "paths", path), path, path);
  for (const [method, operation] of Object.entries(item)) {
    if (isObject(operation)) item[method] = completed(document, path, { tags, ...operation });
  }
}

function completed(document: JsonObject, path: string, operation: JsonObject): JsonObject {
  const { operationId, tags, parameters = [], requestBody, responses, ...rest } = operation;
  if (!Array.isArray(parameters)) throw new Error(`${String(operationId)}: parameters are a list`);
  const implied = impliedBy(document, path, parameters);
  const all = [...implied, ...parameters];
  return {
    operationId,
    tags,
    ...rest,
    ...("x-errors" in rest ? {} : { "x-errors": [] }),
    ...(all.length > 0 ? { parameters: all } : {}),
    ...(requestBody === undefined ? {} : { requestBody }),
    responses: responses ?? ("x-page-of" in rest ? {} : { 204: { description: "Done." } }),
  };
}

function impliedBy(document: JsonObject, path: string, parameters: readonly unknown[]): JsonObject[] {
  const known = objectAt(objectAt(document, "components", path), "parameters", path);
  const declared = parameters.filter(isObject).map((parameter) => {
    const named = known[String(parameter.$ref).replace("#/components/parameters/", "")];
    return (isObject(named) ? named : parameter).name;
  });
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => String(name));
  return names
    .filter((name) => !declared.includes(name))
    .map((name) => {
      const component = name.replace(/(?:^|_)(\w)/g, (_match, letter: string) => letter.toUpperCase());
      if (!isObject(known[component])) throw new Error(`${path}: nobody knows the parameter ${component}`);
      return { $ref: `#/components/parameters/${component}` };
    });
}
