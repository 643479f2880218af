/** A monotonic clock that all processes of the machine share, ms. */
export function now(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
