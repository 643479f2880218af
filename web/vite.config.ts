import { defineConfig } from "vite";

const at = (path: string): string => new URL(path, import.meta.url).pathname;

/**
 * One page a run (`--mode chat`): a script and a style sheet under hashed names, so that its policy can name all that runs.
 * The service writes the HTML around them (api/discovery/embeds).
 */
// biome-ignore lint/style/noDefaultExport: the bundler reads it
export default defineConfig(({ mode }) => ({
  base: "./",
  publicDir: false,
  logLevel: "warn",
  resolve: { alias: { "@livecore/client": at("../clients/typescript/src/index.ts") } },
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    assetsDir: "",
    manifest: "manifest.json",
    target: "es2022",
    // The first that know light-dark(): written out for older ones, a page couldn't choose between the two.
    cssTarget: ["chrome123", "firefox120", "safari17.5"],
    modulePreload: false,
    // Whoever gets a page's script gets the licenses of the packages in it, beside it.
    license: { fileName: `${mode}-licenses.txt` },
    rolldownOptions: {
      input: at(`src/${mode}/main.tsx`),
      output: {
        entryFileNames: `${mode}-[hash].js`,
        assetFileNames: "[name]-[hash][extname]",
        postBanner: `/*! Licenses of the packages in this file: ${mode}-licenses.txt */`,
      },
    },
  },
}));
