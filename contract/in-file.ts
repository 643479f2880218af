/** Runs `work`; prefixes its errors with the file. */
export function inFile<Result>(file: string, work: () => Result): Result {
  try {
    return work();
  } catch (err) {
    throw new Error(`${file}: ${err instanceof Error ? err.message : String(err)}`, { cause: err });
  }
}
