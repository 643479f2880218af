import { isObject, type JsonObject, resolveRef } from "../json.ts";

/** Names of fields that look like credentials; each says by `x-secret` whether it is one. */
const LOOKS_SECRET = /(^|_)(key|secret|token|password|ticket)$/;

/**
 * Declares for each operation that accepts personal tokens which fields of its answers only sessions get (`x-withheld`). Throws for a
 * field that looks like a credential and doesn't say whether it is one, and for a secret that couldn't be left out.
 */
export function withholdSecrets(document: JsonObject, operations: readonly JsonObject[]): void {
  for (const operation of operations) {
    const scopes = operation["x-scopes"];
    if (scopes !== "any" && !(Array.isArray(scopes) && scopes.length > 0)) continue;
    const secrets = secretsIn(document, operation);
    if (secrets.length === 0) continue;
    const name = String(operation.operationId);
    for (const { where, isRequired } of secrets) {
      if (where.length > 1) throw new Error(`${name}: ${where.join(".")} is a secret within another field`);
      if (isRequired) throw new Error(`${name}: ${where.join(".")} is a secret, so it can't be required`);
    }
    const fields = [...new Set(secrets.map(({ where }) => where.join(".")))];
    operation["x-withheld"] = fields;
    const listed = fields.map((field) => `\`${field}\``).join(", ");
    operation.description = `${String(operation.description)} Answers to them leave out ${listed}.`;
  }
}

type SecretField = { where: string[]; isRequired: boolean };

function secretsIn(document: JsonObject, { operationId, responses }: JsonObject): SecretField[] {
  const found: SecretField[] = [];
  const path: unknown[] = [];
  const visit = (value: unknown, where: string[]): void => {
    // Schemas may be recursive.
    if (!isObject(value) || path.includes(value)) return;
    path.push(value);
    if (typeof value.$ref === "string") visit(resolveRef(document, value.$ref), where);
    for (const [field, schema] of Object.entries(isObject(value.properties) ? value.properties : {})) {
      const inner = [...where, field];
      const mark = isObject(schema) ? schema["x-secret"] : undefined;
      if (typeof mark !== "boolean" && LOOKS_SECRET.test(field))
        throw new Error(`${String(operationId)}: ${inner.join(".")} needs x-secret: true or false`);
      const required = Array.isArray(value.required) && value.required.includes(field);
      if (mark === true) found.push({ where: inner, isRequired: required });
      visit(schema, inner);
    }
    visit(value.items, [...where, "[]"]);
    visit(value.additionalProperties, [...where, "*"]);
    for (const parts of [value.allOf, value.anyOf, value.oneOf])
      if (Array.isArray(parts)) for (const part of parts) visit(part, where);
    path.pop();
  };
  for (const [status, answer] of Object.entries(isObject(responses) ? responses : {}))
    if (Number(status) < 400) for (const schema of schemasOf(document, answer)) visit(schema, []);
  return found;
}

function schemasOf(document: JsonObject, answer: unknown): unknown[] {
  if (!isObject(answer)) return [];
  if (typeof answer.$ref === "string") return schemasOf(document, resolveRef(document, answer.$ref));
  const media = isObject(answer.content) ? Object.values(answer.content) : [];
  return media.map((one) => (isObject(one) ? one.schema : undefined));
}
