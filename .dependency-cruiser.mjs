// Who may import whom. `npm run check` tries it (specs/runner/imports.mjs); docs/decisions/0124 says why it is so.

const BASE = ["base", "contract"];
const BELOW_ACTORS = ["realtime/rooms", "store", ...BASE];
/** Each row, and the rows that it may import beside itself. */
const ROWS = {
  contract: [],
  base: ["contract"],
  store: BASE,
  "realtime/rooms": ["store", ...BASE],
  actors: BELOW_ACTORS,
  // Within the gateway: channels → feed → socket, and the modules that start it above them.
  "realtime/gateway/socket": BELOW_ACTORS,
  "realtime/gateway/feed": ["realtime/gateway/socket", ...BELOW_ACTORS],
  "realtime/gateway/channels": ["realtime/gateway/feed", "realtime/gateway/socket", ...BELOW_ACTORS],
  "realtime/gateway": BELOW_ACTORS,
  // Nothing lies beside rooms and gateway.
  realtime: [],
  // The pages of the site, and their titles (decision 0141).
  api: ["actors", "web/src/(pages|texts|formats)", ...BELOW_ACTORS],
  jobs: ["actors", ...BELOW_ACTORS],
  deploy: ["api", "jobs", "realtime/gateway", "clients/typescript", "actors", ...BELOW_ACTORS],
  // Packages of their own, with copies of generated files.
  "clients/typescript": [],
  web: [],
};
const CONTEXTS = "accounts|channels|chat|discovery|live|monetization|notifications|points|raids|safety";
/**
 * Modules that only one module may compose, for the service and for specs: so specs open what production runs. Types may be
 * imported by all.
 */
const COMPOSED_BY = {
  "api/http/app.ts": "deploy/processes/workers/serve-http.ts",
  "api/http/broken-request.ts": "deploy/processes/workers/serve-http.ts",
  "deploy/processes/upgrade-splice/splice.ts": "deploy/processes/workers/serve-http.ts",
  "api/routes.ts": "deploy/processes/workers/serve-api.ts",
  "deploy/processes/workers/serve-http.ts": "(deploy/processes/workers/serve-api.ts|specs/)",
};

const folder = (row) => `^${row}/`;
const rowRule = ([row, below]) => ({
  name: `${row} imports rows below only`,
  severity: "error",
  from: {
    path: folder(row),
    pathNot: Object.keys(ROWS)
      .filter((other) => other.startsWith(`${row}/`))
      .map(folder),
  },
  to: { dependencyTypes: ["local"], pathNot: [row, ...below].map(folder) },
});
const composedRule = ([module, by]) => ({
  name: `${module} is composed by one module`,
  severity: "error",
  from: { pathNot: `^(${by}|${module})` },
  to: { path: `^${module}$`, dependencyTypesNot: ["type-only"] },
});

// biome-ignore lint/style/noDefaultExport: dependency-cruiser reads the default export.
export default {
  forbidden: [
    ...Object.entries(ROWS).map(rowRule),
    ...Object.entries(COMPOSED_BY).map(composedRule),
    {
      name: "contexts know each other by their public file",
      severity: "error",
      from: { path: `^actors/(${CONTEXTS})/` },
      to: {
        path: `^actors/(${CONTEXTS})/`,
        pathNot: ["^actors/$1/", `^actors/(${CONTEXTS})/public\\.ts$`],
      },
    },
    {
      name: "folders have no circle",
      severity: "error",
      scope: "folder",
      from: { path: "^(api|actors|base|clients|contract|deploy|jobs|realtime|store|web)/" },
      to: { circular: true },
    },
    {
      name: "modules have no circle",
      severity: "error",
      from: {},
      to: { circular: true },
    },
    { name: "imports exist", severity: "error", from: {}, to: { couldNotResolve: true, path: "^\\." } },
  ],
  options: {
    tsPreCompilationDeps: true,
    doNotFollow: { path: "node_modules" },
    exclude: { path: "(^|/)(node_modules|dist)/" },
    enhancedResolveOptions: { extensions: [".ts", ".tsx", ".mjs", ".js", ".json"] },
  },
};
