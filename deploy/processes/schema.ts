import { completeSchema } from "../schema.ts";
import { runSchemaProcess } from "../schema-process.ts";

runSchemaProcess(({ config: { mongo }, log, report, signal }) =>
  completeSchema({ mongo, log, report, signal }),
);
