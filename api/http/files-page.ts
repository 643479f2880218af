import { type RequestHandler, Router } from "express";
import { ServiceError } from "../../contract/errors.ts";
import { isFileName } from "../../store/files/file-store.ts";

/** A browser may only show a file that is opened by itself, and nothing else. */
const HEADERS = {
  "Content-Type": "image/webp",
  "Content-Disposition": 'inline; filename="picture.webp"',
  "Content-Security-Policy": "default-src 'none'; sandbox",
  "X-Content-Type-Options": "nosniff",
  // Pages of other sites show our pictures; helmet's default would forbid it.
  "Cross-Origin-Resource-Policy": "cross-origin",
  "Cache-Control": "public, max-age=31536000, immutable",
};

export type ReadFile = (name: string) => Promise<Buffer | null>;

/** Serves uploaded pictures by their names, at /files; no other name reaches the store. */
export function filesPage(read: ReadFile): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const send: RequestHandler<{ name: string }> = async (req, res, next) => {
    const { name } = req.params;
    if (!isFileName(name)) return next();
    const bytes = await read(name);
    if (bytes === null) throw new ServiceError("not_found");
    for (const [header, value] of Object.entries(HEADERS)) res.setHeader(header, value);
    res.end(bytes);
  };
  router.get("/:name", send);
  return router;
}
