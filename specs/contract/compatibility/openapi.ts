import { isObject, type JsonObject, objectAt, resolveRef } from "../json.ts";
import { METHODS } from "../openapi-document.ts";
import { raisedAccess } from "./access.ts";
import { createSchemaComparison, type Side, type Tell } from "./schemas.ts";
import { hasEnded, sunsetOf } from "./sunset.ts";

/**
 * Lists where a later OpenAPI document breaks an earlier one, one line each; empty when compatible. What was marked with a sunset
 * may be gone once that has passed.
 */
export function brokenPromises(before: JsonObject, after: JsonObject, now: number): string[] {
  const schemas = createSchemaComparison({ before, after, now });
  const broken: string[] = [];

  function compareOperations(where: string, old: JsonObject, next: JsonObject): void {
    const tell: Tell = (what) => void broken.push(`${where}: ${what}`);
    if (old.operationId !== next.operationId)
      tell(`is called ${String(next.operationId)}, not ${String(old.operationId)}`);
    for (const what of raisedAccess(old, next)) tell(what);
    compareSunsets(old, next, where, tell);
    compareParameters(old, next, tell);
    compareBodies(old, next, tell);
    compareAnswers(old, next, tell);
  }

  function compareParameters(old: JsonObject, next: JsonObject, tell: Tell): void {
    const [had, has] = [parametersOf(before, old), parametersOf(after, next)];
    for (const [name, parameter] of had) {
      const its = has.get(name);
      if (!its) {
        if (!hasEnded(parameter, now)) tell(`${name} is gone`);
        continue;
      }
      if (its.required === true && parameter.required !== true) tell(`${name} is needed now`);
      compareSunsets(parameter, its, name, (what) => tell(`${name}: ${what}`));
      schemas.compare("request", parameter.schema, its.schema, (what) => tell(`${name}: ${what}`));
    }
    for (const [name, parameter] of has)
      if (parameter.required === true && !had.has(name)) tell(`${name} is new, and needed`);
  }

  function compareBodies(old: JsonObject, next: JsonObject, tell: Tell): void {
    const [most, mostNow] = [old, next].map((one) => Number(one["x-body-bytes"] ?? Number.POSITIVE_INFINITY));
    if (mostNow !== undefined && most !== undefined && mostNow < most) tell(`takes ${mostNow} bytes at most`);
    const [had, has] = [old.requestBody, next.requestBody];
    if (isObject(has) && has.required === true && (!isObject(had) || had.required !== true))
      tell("needs a body now");
    if (isObject(had) && !isObject(has)) tell("takes no body any more");
    if (isObject(had) && isObject(has)) compareContent("request", had, has, (what) => tell(`body: ${what}`));
  }

  /** Errors may be added and removed: clients treat unknown ones by their status. */
  function compareAnswers(old: JsonObject, next: JsonObject, tell: Tell): void {
    const [had, has] = [objectAt(old, "responses", "before"), objectAt(next, "responses", "after")];
    for (const [status, entry] of Object.entries(had)) {
      const told: Tell = (what) => tell(`${status}: ${what}`);
      if (!Object.hasOwn(has, status)) {
        if (Number(status) < 400) told("isn't answered any more");
        continue;
      }
      const [answer, its] = [followed(before, entry), followed(after, has[status])];
      for (const name of Object.keys(entriesOf(answer.headers)))
        if (!Object.hasOwn(entriesOf(its.headers), name) && !ANNOUNCING.has(name)) told(`has no ${name}`);
      compareContent("response", answer, its, told);
    }
  }

  function compareContent(side: Side, old: JsonObject, next: JsonObject, tell: Tell): void {
    const has = entriesOf(next.content);
    for (const [type, media] of Object.entries(entriesOf(old.content))) {
      if (!Object.hasOwn(has, type)) {
        tell(`isn't ${type} any more`);
        continue;
      }
      schemas.compare(side, followed(before, media).schema, followed(after, has[type]).schema, tell);
    }
  }

  const [had, has] = [operationsIn(before), operationsIn(after)];
  for (const [where, old] of had) {
    const next = has.get(where);
    if (next) compareOperations(where, old, next);
    else if (!hasEnded(old, now)) broken.push(`${where}: is gone`);
  }
  return [...broken, ...goneSchemes(before, after)];
}

/** These headers are removed together with the sunset that they announce. */
const ANNOUNCING = new Set(["Deprecation", "Sunset", "Link"]);

/** Clients may rely on an announced day. */
function compareSunsets(old: JsonObject, next: JsonObject, where: string, tell: Tell): void {
  const [told, tells] = [sunsetOf(old, where), sunsetOf(next, where)];
  if (told && tells && tells.until < told.until) tell("goes earlier than was said");
}

function goneSchemes(before: JsonObject, after: JsonObject): string[] {
  const schemesOf = (document: JsonObject) =>
    entriesOf(objectAt(document, "components", "the document").securitySchemes);
  const [had, has] = [schemesOf(before), schemesOf(after)];
  const said = (scheme: unknown) => JSON.stringify({ ...entriesOf(scheme), description: undefined });
  return Object.keys(had).flatMap((name) =>
    said(had[name]) === said(has[name]) ? [] : [`the credential ${name} is another one`],
  );
}

function operationsIn(document: JsonObject): Map<string, JsonObject> {
  const found = Object.entries(objectAt(document, "paths", "the document")).flatMap(([path, item]) =>
    METHODS.flatMap((method): [string, JsonObject][] => {
      const operation = isObject(item) ? item[method] : undefined;
      return isObject(operation) ? [[`${method.toUpperCase()} ${path}`, operation]] : [];
    }),
  );
  return new Map(found);
}

function parametersOf(document: JsonObject, { parameters }: JsonObject): Map<string, JsonObject> {
  const all = (Array.isArray(parameters) ? parameters : []).map((one) => followed(document, one));
  return new Map(all.map((one) => [`${String(one.in)}.${String(one.name)}`, one]));
}

function followed(document: JsonObject, entry: unknown): JsonObject {
  if (!isObject(entry)) return {};
  return typeof entry.$ref === "string" ? resolveRef(document, entry.$ref) : entry;
}

const entriesOf = (value: unknown): JsonObject => (isObject(value) ? value : {});
