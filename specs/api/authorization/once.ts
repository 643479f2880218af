/** Makes it at the first call, and returns the same one from then on. */
export function once<Made>(make: () => Promise<Made>): () => Promise<Made> {
  let made: Promise<Made> | null = null;
  return () => {
    made ??= make();
    return made;
  };
}
