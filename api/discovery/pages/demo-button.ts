import type { IncomingHttpHeaders } from "node:http";
import { type RequestHandler, Router } from "express";
import { hostIn, isThisMachine } from "../../../base/this-machine.ts";
import { ServiceError } from "../../../contract/errors.ts";
import type { AdmitPages } from "../../http/admit-pages.ts";
import { rootOf } from "../../http/page-layout.ts";
import type { EveningControl } from "./development-part.ts";

/** Takes the button of the front page that starts the demo evening. Only in development. */
export function demoButton(
  { publicUrl, evening }: { publicUrl: string; evening: EveningControl },
  { media }: AdmitPages,
): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const root = rootOf(publicUrl);
  const start: RequestHandler = async (req, res) => {
    requireOwnPage(req.headers, new URL(publicUrl).host);
    const state = await evening.start();
    res.redirect(303, state.status === "live" ? `${root}${state.username}` : root);
  };
  router.post("/demo", media, start);
  return router;
}

/**
 * Refuses forms of other sites, and of pages that reach this machine under a name of their own (DNS rebinding): a browser names the
 * form's page in Origin. Throws `forbidden`.
 */
function requireOwnPage({ origin, host }: IncomingHttpHeaders, publicHost: string): void {
  const from = origin !== undefined && URL.canParse(origin) ? new URL(origin).host : null;
  const name = hostIn(host);
  const isHere = name !== null && (isThisMachine(name) || host === publicHost);
  if (from === null || from !== host || !isHere) throw new ServiceError("forbidden");
}
