import { readOpenApi } from "../../openapi-document.ts";
import { BEHAVIOURS } from "./behaviours.ts";
import { ENUMERATIONS } from "./enumerations.ts";
import * as given from "./interface.ts";
import { endpointOf, resourceOf } from "./names.ts";
import { RESOURCES } from "./resources.ts";

/**
 * One statement of the interface's core (docs/interface.md); it is shown when all of its observations were made (observe.ts).
 */
export type Entry = { what: string; needs: string[] };
export type Section = { title: string; entries: Entry[] };

/** The opposite would be an error with its envelope, so they are always true. */
const ALWAYS_TRUE = [
  "ChatActionResult.success",
  "ChatSettingsResult.success",
  "ChatSettingsResult.saved_to_db",
];

function fieldEntries(): Entry[] {
  const booleans = booleanFields();
  const places = RESOURCES.flatMap(({ name, fields }) => fields.map((field) => `${name}.${field}`));
  return places.map((at) => ({ what: `\`${at}\``, needs: needsOfField(at, booleans) }));
}

/** A boolean has to be seen with both values. */
function needsOfField(at: string, booleans: ReadonlySet<string>): string[] {
  if (ALWAYS_TRUE.includes(at)) return [`value ${at} = true`];
  return booleans.has(at) ? [`value ${at} = false`, `value ${at} = true`] : [`field ${at}`];
}

/** Booleans of the schemas that there are, by "Resource.field". */
function booleanFields(): Set<string> {
  const found = new Set<string>();
  const visit = (schema: unknown, at: string): void => {
    const { type, properties = {}, items, allOf = [] } = Object(schema);
    if ([type].flat().includes("boolean")) found.add(at);
    for (const [name, inner] of Object.entries(properties)) visit(inner, `${at}.${name}`);
    if (items) visit(items, at);
    for (const part of allOf) visit(part, at);
  };
  for (const [name, schema] of Object.entries(readOpenApi().components.schemas))
    visit(schema, resourceOf(name));
  return found;
}

const values = ENUMERATIONS.flatMap(({ at, values }) =>
  at.flatMap((field) =>
    values.map((value) => ({ what: `\`${field}\` is \`${value}\``, needs: [`value ${field} = ${value}`] })),
  ),
);

const endpoints = given.ENDPOINTS.flatMap(([methods, path]) =>
  methods.split(" ").map((method) => ({
    what: `${method} \`${path}\``,
    needs: [`operation ${endpointOf(method, path)}`],
  })),
);

const limits = given.LIMITS.flatMap(({ of, name, accepts, refuses, missing }) => {
  const at = `${of}.${name}`;
  const sides = [...accepts.map((n) => `accepts ${n}`), ...refuses.map((n) => `refuses ${n}`)];
  return [
    { what: `\`${at}\`: ${sides.join(", ")}`, needs: sides.map((side) => `limit ${at} ${side}`) },
    ...(missing === undefined
      ? []
      : [{ what: `\`${at}\`: ${missing} when it isn't given`, needs: [`limit ${at} missing ${missing}`] }]),
  ];
});

const changes = given.CHANGES.flatMap(([lifecycle, pairs]) =>
  pairs.map(([from, to]) => ({
    what: `${lifecycle}: ${from} → ${to}`,
    needs: [`change ${lifecycle} ${from} → ${to}`],
  })),
);

/** The behaviours whose names have this prefix. */
function claims(prefix: string): Entry[] {
  return [...BEHAVIOURS]
    .filter(([name]) => name.startsWith(prefix))
    .map(([name, says]) => ({ what: `\`${name.slice(prefix.length)}\` ${says}`, needs: [`claim ${name}`] }));
}

const RULES = [...BEHAVIOURS].filter(([name]) => !/^(default|absent) /.test(name));

/** Everything that coverage counts, in the order of the page. Lazy, since most processes never need it. */
export const sections = (): Section[] => [
  { title: "Resources and fields", entries: fieldEntries() },
  { title: "Enumerations", entries: values },
  { title: "Endpoints", entries: endpoints },
  { title: "Areas", entries: given.TAGS.map((tag) => ({ what: `\`${tag}\``, needs: [`tag ${tag}`] })) },
  { title: "Pages", entries: given.PAGES.map((kind) => ({ what: `\`${kind}\``, needs: [`page ${kind}`] })) },
  {
    title: "Credentials",
    entries: given.CARRIERS.map(([carrier, what]) => ({ what, needs: [`carrier ${carrier}`] })),
  },
  {
    title: "Headers and cookies",
    entries: given.HEADERS.map(([header, what]) => ({ what, needs: [`header ${header}`] })),
  },
  { title: "Events", entries: given.EVENTS.map(([what, shownBy]) => ({ what, needs: [shownBy] })) },
  {
    title: "Errors",
    entries: given.ERROR_CODES.map(([status, code]) => ({
      what: `${status} \`${code}\``,
      needs: [`error ${status} ${code}`],
    })),
  },
  { title: "Limits", entries: limits },
  { title: "Changes of state", entries: changes },
  { title: "Rules", entries: RULES.map(([name, says]) => ({ what: says, needs: [`claim ${name}`] })) },
  { title: "Defaults", entries: claims("default ") },
  { title: "What is absent", entries: claims("absent ") },
];

/** All observations that entries need. */
export function wanted(): ReadonlySet<string> {
  return new Set(sections().flatMap(({ entries }) => entries.flatMap(({ needs }) => needs)));
}
