/** Figures of one run: what was done and how long it took. */
export type Figures = Record<string, number>;

/** Reports progress, a line at a time. */
export type Print = (line: string) => void;

export type Scenario = {
  name: string;
  /** The property that it checks, in one line. */
  about: string;
  /** Throws when the property doesn't hold. `scale` 1 = full size. */
  run(seed: number, scale: number, print: Print): Promise<Figures>;
};

/**
 * Makes a scenario: `sizes` are its quantities at full size, which shrink with the scale (to no less than one); `fixed` options
 * don't scale.
 */
export function scenario<Sizes extends Record<string, number>, Fixed extends object>(of: {
  name: string;
  about: string;
  sizes: Sizes;
  fixed: Fixed;
  run(options: { seed: number } & Sizes & Fixed, print: Print): Promise<Figures>;
}): Scenario {
  return {
    name: of.name,
    about: of.about,
    run: (seed, scale, print) => of.run({ seed, ...of.fixed, ...scaled(of.sizes, scale) }, print),
  };
}

function scaled<Sizes extends Record<string, number>>(sizes: Sizes, scale: number): Sizes {
  const entries = Object.entries(sizes).map(([name, full]) => [
    name,
    full === 0 ? 0 : Math.max(1, Math.round(full * scale)),
  ]);
  return Object.fromEntries(entries) as Sizes;
}
