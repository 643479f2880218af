/** ms of a clock that all processes of the machine share and that nobody sets. */
export function now(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
