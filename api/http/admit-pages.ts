import type { RequestHandler } from "express";

/** Admission and rate limits of pages. */
export type AdmitPages = {
  /** The handler of a page that is made from the database and sent as a whole: it runs in a slot. */
  page<Params>(make: RequestHandler<Params>): RequestHandler<Params>;
  /** Comes before the handler of a file, which is much more work, and whose readers may be slow. */
  file: RequestHandler;
  /** Comes before the handler of a small file that a page or player loads by the way. */
  media: RequestHandler;
};
