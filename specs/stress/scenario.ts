/** Numbers of one run: what was done, how long it took. */
export type Figures = Record<string, number>;

/** Reports progress, a line at a time. */
export type Say = (line: string) => void;

export type Scenario = {
  name: string;
  /** What it promises, in one line. */
  about: string;
  /** Throws when the promise doesn't hold. `scale` 1 = in full. */
  run(seed: number, scale: number, say: Say): Promise<Figures>;
};

/**
 * A scenario from its run: `sizes` are how much of it there is in full and shrink with the scale (to no less than one),
 * `fixed` are what makes it what it is.
 */
export function scenario<Sizes extends Record<string, number>, Fixed extends object>(of: {
  name: string;
  about: string;
  sizes: Sizes;
  fixed: Fixed;
  run(options: { seed: number } & Sizes & Fixed, say: Say): Promise<Figures>;
}): Scenario {
  return {
    name: of.name,
    about: of.about,
    run: (seed, scale, say) => of.run({ seed, ...of.fixed, ...scaled(of.sizes, scale) }, say),
  };
}

function scaled<Sizes extends Record<string, number>>(sizes: Sizes, scale: number): Sizes {
  const entries = Object.entries(sizes).map(([name, full]) => [
    name,
    full === 0 ? 0 : Math.max(1, Math.round(full * scale)),
  ]);
  // The same names with other numbers.
  return Object.fromEntries(entries) as Sizes;
}
