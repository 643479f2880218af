// The bill of materials of what ships: CycloneDX, as npm writes it from what is installed.
import { closeSync, openSync } from "node:fs";
import { run } from "./install.mjs";

/** Writes it to `file`; false when npm couldn't, which has said why by then. */
export async function writeSbom(file) {
  const args = [
    "sbom",
    "--sbom-format=cyclonedx",
    "--sbom-type=application",
    "--omit=dev",
    "--loglevel=error",
  ];
  const out = openSync(file, "w");
  try {
    return (await run("npm", args, { stdio: ["ignore", out, "inherit"] })) === 0;
  } finally {
    closeSync(out);
  }
}

/** Those of `dependencies`, as package.json names them, that a CycloneDX document doesn't have in that version. */
export function missingFromSbom(json, dependencies) {
  const { bomFormat, components } = JSON.parse(json);
  const listed = new Set(
    bomFormat === "CycloneDX" ? components.map(({ name, version }) => `${name}@${version}`) : [],
  );
  return Object.entries(dependencies)
    .map(([name, version]) => `${name}@${version.replace(/^npm:.*@/, "")}`)
    .filter((dependency) => !listed.has(dependency));
}
