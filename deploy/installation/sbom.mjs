// The bill of materials (SBOM) of what ships: CycloneDX, which npm generates from the installed packages.
import { closeSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { projectRoot, run } from "./install.mjs";

/** Writes the SBOM of the service and of the pages for browsers into `file`. False when npm failed, which has printed why. */
export async function writeSbom(file) {
  const service = await listed(file, projectRoot, []);
  // web/'s packages may not be installed yet.
  const web = service && (await listed(file, join(projectRoot, "web"), ["--package-lock-only"]));
  if (!service || !web) return false;
  const [ours, theirs] = [withoutTools(service, projectRoot), withoutTools(web, join(projectRoot, "web"))];
  const both = {
    ...ours,
    components: [...ours.components, ...theirs.components],
    dependencies: [...ours.dependencies, ...theirs.dependencies],
  };
  writeFileSync(file, JSON.stringify(both, null, 2));
  return true;
}

async function listed(file, folder, more) {
  const args = ["sbom", "--sbom-format=cyclonedx", "--sbom-type=application", "--loglevel=error", ...more];
  const out = openSync(file, "w");
  try {
    if ((await run("npm", args, { cwd: folder, stdio: ["ignore", out, "inherit"] })) !== 0) return null;
  } finally {
    closeSync(out);
  }
  return JSON.parse(readFileSync(file, "utf8"));
}

/**
 * Removes packages that only development needs. npm's own `--omit=dev` would also drop a shipped package that a package
 * for development happens to use.
 */
function withoutTools(sbom, folder) {
  const shipped = new Set(shippedPackages({ folder }));
  const ships = ({ name, version }) => shipped.has(`${name}@${version}`);
  const tools = new Set(
    sbom.components.filter((one) => !ships(one)).map((component) => component["bom-ref"]),
  );
  const isKept = (ref) => !tools.has(ref);
  return {
    ...sbom,
    components: sbom.components.filter(ships),
    dependencies: sbom.dependencies
      .filter(({ ref }) => isKept(ref))
      .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter(isKept) })),
  };
}

/** The packages of the lock file that aren't for development alone, as name@version. */
export function shippedPackages({ optional = true, folder = projectRoot } = {}) {
  const { packages } = JSON.parse(readFileSync(join(folder, "package-lock.json"), "utf8"));
  return Object.entries(packages)
    .filter(
      ([path, entry]) => path !== "" && !entry.dev && (optional || !(entry.optional || entry.devOptional)),
    )
    .map(([path, { version }]) => `${path.replace(/^.*node_modules\//, "")}@${version}`);
}

/** Those of `packages` (name@version) that a CycloneDX document doesn't list. */
export function missingFromSbom(json, packages) {
  const { bomFormat, components } = JSON.parse(json);
  const listed = new Set(
    bomFormat === "CycloneDX" ? components.map(({ name, version }) => `${name}@${version}`) : [],
  );
  return packages.filter((one) => !listed.has(one));
}
