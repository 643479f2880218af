import { completeSchema } from "../schema/complete-schema.ts";
import { runSchemaProcess } from "../schema/schema-process.ts";

runSchemaProcess(({ config: { mongo }, log, report, signal }) =>
  completeSchema({ mongo, log, report, signal }),
);
