import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { readWebFiles, type Script } from "../../api/discovery/web-files.ts";
import { projectRoot } from "../../deploy/processes/config/project.ts";

const BUILT = join(projectRoot, "web/dist");
/** Bytes as browsers get them, as docs/embeds.md has them. The site's texts alone are 7 KB. */
const EMBEDS = { chat: 30_000, "sign-in": 19_000, overlay: 40_000 };
/** Bytes as browsers get them, as docs/site.md has them: the frame and the page, before anything that is loaded later. */
const PAGES = { "src/discovery/home.tsx": 60_000, "src/channels/channel.tsx": 90_000 };

describe("sizes of scripts", () => {
  for (const [embed, most] of Object.entries(EMBEDS))
    it(`keeps the script of the ${embed} embed at most ${most / 1_000} KB, without the site's texts`, () => {
      const folder = join(BUILT, embed);
      const scripts = readdirSync(folder).filter((name) => name.endsWith(".js.br"));
      expect(scripts).length(1);
      for (const name of scripts) expect(statSync(join(folder, name)).size).most(most);
    });

  for (const [page, most] of Object.entries(PAGES))
    it(`keeps what a browser loads at first for ${page} at most ${most / 1_000} KB`, () => {
      const { site, files } = readWebFiles(BUILT);
      const sizeOf = ({ file }: Script) => files.get(file)?.brotli?.length ?? Number.NaN;
      const sizes = [...site.base, ...site.scriptsOf(page)].map(sizeOf);
      expect(sizes.length).greaterThan(1);
      expect(sizes.reduce((sum, size) => sum + size, 0)).most(most);
    });
});
