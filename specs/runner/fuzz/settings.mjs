// What schemathesis is told about the operations whose rules go beyond a schema.
import { readFileSync } from "node:fs";

const DOCUMENT = new URL("../../contract/generated/openapi.json", import.meta.url);

/** Requests that fit the schema and may be 400 all the same, with the rule that a schema can't hold. */
const BEYOND_SCHEMA = {
  register: "common passwords are refused",
  updateMe: "a new e-mail address needs the password, a title may differ in case only",
  listChatMessages: "one of before and after",
  heartbeat: "anonymous callers need a device_id",
};

/** A schemathesis.toml: for these operations alone a 400 is no rejection of good data. */
export function settings() {
  const { paths } = JSON.parse(readFileSync(DOCUMENT, "utf8"));
  const operations = Object.values(paths).flatMap((item) => Object.values(item));
  const unknown = Object.keys(BEYOND_SCHEMA).filter(
    (id) => !operations.some((one) => one.operationId === id),
  );
  if (unknown.length > 0) throw new Error(`There are no operations ${unknown.join(", ")}`);
  const loose = operations.filter(
    ({ operationId, responses }) =>
      operationId in BEYOND_SCHEMA || responses["400"]?.$ref !== "#/components/responses/validation_failed",
  );
  const sections = loose.map(({ operationId }) =>
    [
      "[[operations]]",
      `include-operation-id = "${operationId}"`,
      "checks.positive_data_acceptance.expected-statuses = [",
      '  "2xx", 400, 401, 403, 404, 409, 429,',
      "]",
    ].join("\n"),
  );
  return `${sections.join("\n\n")}\n`;
}
