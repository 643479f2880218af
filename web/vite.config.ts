import { defineConfig, type UserConfig } from "vite";

const at = (path: string): string => new URL(path, import.meta.url).pathname;
const SITE = "site";
/** The service worker of push notifications. */
const PUSH_WORKER = "push-worker";
const inputOf = (mode: string): string => {
  if (mode === SITE) return at("src/routes/main.tsx");
  if (mode === PUSH_WORKER) return at("src/notifications/push/worker.ts");
  return at(`src/embeds/${mode}/main.tsx`);
};
const BASE =
  /src\/(site|routes\/site|frame|components|texts\/(en\.ts|en\/(?!console\/|staff\/)|embedded|texts)|formats)|clients\/typescript|node_modules\/(preact|@preact|preact-iso|lucide)/;

/**
 * One page a run (`--mode chat`), or the site (`--mode site`). An embed is a script and a style sheet under hashed names, so that its policy
 * can name all that runs; the site's script loads those of its pages when they are opened. The service writes the HTML around them
 * (api/discovery). The service worker of push notifications is a script by itself, which keeps its name.
 */
// biome-ignore lint/style/noDefaultExport: the bundler reads it
export default defineConfig(
  ({ mode }): UserConfig => ({
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
      // A page's scripts are loaded side by side.
      modulePreload: mode === SITE && { polyfill: false },
      // The site's style is one file: a page is never shown without it.
      cssCodeSplit: mode !== SITE,
      // Whoever gets a page's script gets the licenses of the packages in it, beside it.
      license: { fileName: `${mode}-licenses.txt` },
      rolldownOptions: {
        input: inputOf(mode),
        output: {
          // A browser looks for a newer service worker at the same address.
          entryFileNames: mode === PUSH_WORKER ? "push-worker.js" : `${mode}-[hash].js`,
          chunkFileNames: `${mode}-[name]-[hash].js`,
          assetFileNames: "[name]-[hash][extname]",
          // What every page of the site needs is one script.
          ...(mode === SITE && { codeSplitting: { groups: [{ name: "base", test: BASE }] } }),
          postBanner: `/*! Licenses of the packages in this file: ${mode}-licenses.txt */`,
        },
      },
    },
  }),
);
