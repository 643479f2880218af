import { Ajv2020, type ErrorObject, type ValidateFunction } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { readAsyncApi } from "../../../contract/asyncapi-document.ts";
import { closedSchema } from "../../../contract/closed-schema.ts";
import type { DetailsSchema } from "../../../contract/error-details.ts";
import { ERRORS, isErrorCode } from "../../../contract/errors.ts";
import type { FrameProblem, ServerMessage } from "../../../contract/frames.ts";

/** Validates the server's messages against the contract, more strictly than clients do: unknown fields aren't allowed. */

const DOCUMENT = "asyncapi.json";
const document = readAsyncApi();
const { messages, schemas } = document.components;
const ajv = new Ajv2020({ strict: false, allErrors: false, validateSchema: false });
formats.default(ajv);
ajv.addSchema({ $id: DOCUMENT, ...closedSchema(document) });

const isFrame = ajv.compile<ServerMessage[]>({
  type: "array",
  minItems: 1,
  items: { type: "object", required: ["type"], properties: { type: { type: "string" } } },
});

function validatorAt(ref: string): ValidateFunction {
  const validator = ajv.getSchema(`${DOCUMENT}${ref}`);
  if (!validator) throw new Error(`asyncapi.json has nothing at ${ref}`);
  return validator;
}

const detailsOf = new Map<string, ValidateFunction>();

/** Validators by message type, without the frame itself. */
const validators = new Map(
  Object.entries(messages)
    .filter(([, message]) => message["x-topics"])
    .map(([type, { payload }]) => [type, validatorAt(payload.$ref)]),
);

/** Validates a frame from the server against the contract; returns its problems, none when it is valid. */
export function problemsInFrame(frame: unknown): FrameProblem[] {
  if (!isFrame(frame)) return problemsOf(isFrame.errors);
  return frame.flatMap((message, index) => {
    const validator = validators.get(message.type);
    if (!validator) return [{ path: `/${index}/type`, rule: "enum", message: `unknown ${message.type}` }];
    if (validator(message)) return [];
    return problemsOf(validator.errors).map((problem) => ({ ...problem, path: `/${index}${problem.path}` }));
  });
}

/** Validates the reply to a command whose method is known: its result, or one of its error codes. */
export function problemsInReply(method: string, { data, error }: ServerMessage): FrameProblem[] {
  const command = messages[method];
  const result = command?.["x-result"];
  if (!command || !result) return [{ path: "", rule: "enum", message: `there is no command ${method}` }];
  if (error) {
    if (command["x-errors"]?.includes(error.code)) return problemsInDetails(error);
    return [{ path: "/error/code", rule: "enum", message: `${method} isn't refused with ${error.code}` }];
  }
  const isResult = validatorAt(result.$ref);
  return isResult(data) ? [] : problemsOf(isResult.errors);
}

/**
 * Validates an error's details against its code's schema, without unknown fields. They may be missing only when the schema
 * requires nothing.
 */
export function problemsInDetails({ code, details }: { code: string; details?: object }): FrameProblem[] {
  if (!isErrorCode(code)) return [{ path: "/code", rule: "enum", message: `there is no code ${code}` }];
  const entry: readonly [number, string, DetailsSchema?] = ERRORS[code];
  const [, , schema] = entry;
  if (!schema && details === undefined) return [];
  if (!schema) return [{ path: "/details", rule: "absent", message: `${code} has none` }];
  const isOfForm = detailsOf.get(code) ?? ajv.compile(closedSchema(schema));
  detailsOf.set(code, isOfForm);
  return isOfForm(details ?? {}) ? [] : problemsOf(isOfForm.errors);
}

/** Whether a value matches a schema of the document. */
export function isOfSchema(name: string, value: unknown): boolean {
  if (!schemas[name]) throw new Error(`The document has no schema ${name}`);
  return validatorAt(`#/components/schemas/${name}`)(value) === true;
}

function problemsOf(errors: ErrorObject[] | null | undefined): FrameProblem[] {
  return (errors ?? []).map(({ instancePath, keyword, message, params }) => ({
    path: instancePath,
    rule: keyword,
    message: `${message ?? "is not valid"} ${JSON.stringify(params)}`,
  }));
}
