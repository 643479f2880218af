import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { asAsyncApi } from "../asyncapi-document.ts";
import { closedSchema } from "../closed-schema.ts";
import type { JsonObject } from "../json.ts";

const DOCUMENT = "asyncapi.json";

/** Returns why examples don't match their messages' schemas, which allow no unknown fields; in words. */
export function exampleFaults(bundled: JsonObject): string[] {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  formats.default(ajv);
  ajv.addSchema({ $id: DOCUMENT, ...closedSchema(bundled) });
  return Object.entries(asAsyncApi(bundled).components.messages).flatMap(([name, { payload, examples }]) => {
    const isOfSchema = ajv.getSchema(`${DOCUMENT}${payload.$ref}`);
    if (!isOfSchema) throw new Error(`${name}: the sockets' contract has nothing at ${payload.$ref}`);
    return examples.flatMap((example) =>
      isOfSchema(example.payload)
        ? []
        : (isOfSchema.errors ?? []).map(
            ({ instancePath, message, params }) =>
              `${name}, example "${example.name}": ${instancePath || "/"} ${message} ${JSON.stringify(params)}`,
          ),
    );
  });
}

export function requireValidExamples(bundled: JsonObject): void {
  const faults = exampleFaults(bundled);
  if (faults.length > 0)
    throw new Error(
      `Examples of contract/asyncapi/{messages,commands}.yaml that aren't of their schemas:\n${faults.join("\n")}`,
    );
}
