// Makes a process believe that its host's wall clock is off: `--import <this file's URL>?by=<file>`, a file with milliseconds, which
// is read again ten times a second. Unlike libfaketime it needs no installation; the full drill (npm run soak -- fleet) uses that.
import { readFileSync } from "node:fs";

const file = new URL(import.meta.url).searchParams.get("by");
const RealDate = Date;
let shift = 0;

const read = () => {
  shift = Number(readFileSync(file, "utf8"));
};
read();
setInterval(read, 100).unref();

globalThis.Date = class extends RealDate {
  constructor(...args) {
    super(...(args.length === 0 ? [RealDate.now() + shift] : args));
  }
  static now() {
    return RealDate.now() + shift;
  }
};
