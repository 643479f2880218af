import { isObject, type JsonObject, objectAt, resolveRef } from "../json.ts";

type Linked = { path: string; operation: JsonObject };

/**
 * Links an operation that creates something (`x-makes`, the path parameter that names it) to every operation that takes it, as
 * links of its answer, for readers and for tools that follow them. Only where all path parameters of the other operation are
 * known.
 */
export function addLinks(document: JsonObject, operations: readonly Linked[]): void {
  for (const maker of operations) {
    const { "x-makes": made, operationId } = maker.operation;
    if (made === undefined) continue;
    const answer = objectAt(objectAt(maker.operation, "responses", String(operationId)), "201", "responses");
    const known = knownAfter(document, maker, String(made), answer);
    const links = operations.flatMap((target): [string, JsonObject][] => {
      const names = namesIn(target.path);
      const isOpen = accessOf(target) !== "staff" || accessOf(maker) === "staff";
      if (!isOpen || !names.includes(String(made)) || !names.every((name) => known.has(name))) return [];
      const parameters = Object.fromEntries(names.map((name) => [name, known.get(name)]));
      return [[String(target.operation.operationId), { ...identified(target), parameters }]];
    });
    if (links.length === 0)
      throw new Error(`${String(operationId)} makes ${String(made)}, which no path names`);
    answer.links = Object.fromEntries(links);
  }
}

const identified = ({ operation: { operationId } }: Linked): JsonObject => ({ operationId });
const accessOf = ({ operation }: Linked): unknown =>
  objectAt(operation, "x-access", String(operation.operationId)).who;
const namesIn = (path: string): string[] => [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? "");

/** By path parameter, where its value is found: the created id, then the creator's path, then fields of the answer. */
function knownAfter(
  document: JsonObject,
  { path }: Linked,
  made: string,
  answer: JsonObject,
): Map<string, string> {
  const content = objectAt(objectAt(answer, "content", made), "application/json", made);
  const { $ref } = objectAt(content, "schema", made);
  const { properties } = resolveRef(document, String($ref));
  const fields = isObject(properties) ? Object.keys(properties) : [];
  const id = fields.includes(made) ? made : "id";
  if (!fields.includes(id)) throw new Error(`an answer with ${made} has no id`);
  return new Map([
    ...fields.map((name): [string, string] => [name, `$response.body#/${name}`]),
    ...namesIn(path).map((name): [string, string] => [name, `$request.path.${name}`]),
    [made, `$response.body#/${id}`],
  ]);
}
