import { isObject, type JsonObject, objectAt, resolveRef } from "../json.ts";
import { METHODS } from "../openapi-document.ts";
import { raisedAccess } from "./access.ts";
import { createSchemaComparison, type Report, type Side } from "./schemas.ts";
import { hasEnded, sunsetOf } from "./sunset.ts";

/**
 * Lists where a later OpenAPI document breaks an earlier one, one line each; empty when compatible. What was marked with a sunset
 * may be gone once that has passed.
 */
export function brokenPromises(before: JsonObject, after: JsonObject, now: number): string[] {
  const schemas = createSchemaComparison({ before, after, now });
  const broken: string[] = [];

  function compareOperations(where: string, old: JsonObject, next: JsonObject): void {
    const report: Report = (what) => void broken.push(`${where}: ${what}`);
    if (old.operationId !== next.operationId)
      report(`is called ${String(next.operationId)}, not ${String(old.operationId)}`);
    for (const what of raisedAccess(old, next)) report(what);
    compareSunsets(old, next, where, report);
    compareParameters(old, next, report);
    compareBodies(old, next, report);
    compareAnswers(old, next, report);
  }

  function compareParameters(old: JsonObject, next: JsonObject, report: Report): void {
    const [had, has] = [parametersOf(before, old), parametersOf(after, next)];
    for (const [name, parameter] of had) {
      const its = has.get(name);
      if (!its) {
        if (!hasEnded(parameter, now)) report(`${name} is gone`);
        continue;
      }
      if (its.required === true && parameter.required !== true) report(`${name} is needed now`);
      compareSunsets(parameter, its, name, (what) => report(`${name}: ${what}`));
      schemas.compare("request", parameter.schema, its.schema, (what) => report(`${name}: ${what}`));
    }
    for (const [name, parameter] of has)
      if (parameter.required === true && !had.has(name)) report(`${name} is new, and needed`);
  }

  function compareBodies(old: JsonObject, next: JsonObject, report: Report): void {
    const [most, mostNow] = [old, next].map((one) => Number(one["x-body-bytes"] ?? Number.POSITIVE_INFINITY));
    if (mostNow !== undefined && most !== undefined && mostNow < most)
      report(`takes ${mostNow} bytes at most`);
    const [had, has] = [old.requestBody, next.requestBody];
    if (isObject(has) && has.required === true && (!isObject(had) || had.required !== true))
      report("needs a body now");
    if (isObject(had) && !isObject(has)) report("takes no body any more");
    if (isObject(had) && isObject(has))
      compareContent("request", had, has, (what) => report(`body: ${what}`));
  }

  /** Errors may be added and removed: clients treat unknown ones by their status. */
  function compareAnswers(old: JsonObject, next: JsonObject, report: Report): void {
    const [had, has] = [objectAt(old, "responses", "before"), objectAt(next, "responses", "after")];
    for (const [status, entry] of Object.entries(had)) {
      const reportStatus: Report = (what) => report(`${status}: ${what}`);
      if (!Object.hasOwn(has, status)) {
        if (Number(status) < 400) reportStatus("isn't answered any more");
        continue;
      }
      const [answer, its] = [followed(before, entry), followed(after, has[status])];
      for (const name of Object.keys(entriesOf(answer.headers)))
        if (!Object.hasOwn(entriesOf(its.headers), name) && !ANNOUNCING.has(name))
          reportStatus(`has no ${name}`);
      compareContent("response", answer, its, reportStatus);
    }
  }

  function compareContent(side: Side, old: JsonObject, next: JsonObject, report: Report): void {
    const has = entriesOf(next.content);
    for (const [type, media] of Object.entries(entriesOf(old.content))) {
      if (!Object.hasOwn(has, type)) {
        report(`isn't ${type} any more`);
        continue;
      }
      schemas.compare(side, followed(before, media).schema, followed(after, has[type]).schema, report);
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
function compareSunsets(old: JsonObject, next: JsonObject, where: string, report: Report): void {
  const [announced, later] = [sunsetOf(old, where), sunsetOf(next, where)];
  if (announced && later && later.until < announced.until) report("goes earlier than announced");
}

function goneSchemes(before: JsonObject, after: JsonObject): string[] {
  const schemesOf = (document: JsonObject) =>
    entriesOf(objectAt(document, "components", "the document").securitySchemes);
  const [had, has] = [schemesOf(before), schemesOf(after)];
  const withoutDescription = (scheme: unknown) =>
    JSON.stringify({ ...entriesOf(scheme), description: undefined });
  return Object.keys(had).flatMap((name) =>
    withoutDescription(had[name]) === withoutDescription(has[name])
      ? []
      : [`the credential ${name} is another one`],
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
