import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { projectRoot } from "../../deploy/processes/config/project.ts";

/** Compressed, as browsers get them; the site's texts alone are 7 KB. */
const MOST_BYTES = { chat: 28_000, "sign-in": 19_000 };

describe("size of embeds", () => {
  for (const [embed, most] of Object.entries(MOST_BYTES))
    it(`keeps the script of the ${embed} embed small, without the site's texts`, () => {
      const folder = join(projectRoot, "web/dist", embed);
      const scripts = readdirSync(folder).filter((name) => name.endsWith(".js.br"));
      expect(scripts).length(1);
      for (const name of scripts) expect(statSync(join(folder, name)).size).most(most);
    });
});
