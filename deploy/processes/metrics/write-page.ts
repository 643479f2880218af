import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Metric } from "../../../base/metrics.ts";
import { projectRoot } from "../config/project.ts";
import { metricsPage } from "./page.ts";

const PARTS = ["actors", "api", "deploy", "jobs", "realtime", "store"];

const paths = PARTS.flatMap((part) =>
  readdirSync(join(projectRoot, part), { recursive: true, encoding: "utf8" })
    .map((file) => `${part}/${file.replaceAll("\\", "/")}`)
    .filter((path) => path.endsWith("/metrics.ts") && path !== "base/metrics.ts"),
).sort();
const modules = paths.map(async (path) => {
  const exported: Record<string, unknown> = await import(pathToFileURL(join(projectRoot, path)).href);
  return { path, metrics: Object.values(exported).flatMap(metricsOf) };
});
writeFileSync(join(projectRoot, "docs/metrics.md"), metricsPage(await Promise.all(modules)));

function metricsOf(exported: unknown): Metric[] {
  return typeof exported === "object" && exported !== null ? Object.values(exported).filter(isMetric) : [];
}

/** An export with a name and a kind is a declared metric. */
function isMetric(value: unknown): value is Metric {
  return typeof value === "object" && value !== null && "name" in value && "kind" in value;
}
