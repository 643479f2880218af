import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { configurationPage } from "./page.ts";
import { projectRoot } from "./project.ts";

writeFileSync(join(projectRoot, "docs/configuration.md"), configurationPage());
