import { takeFaults, watchFaults } from "./faults.ts";

/** Mocha root hooks: a spec fails when a frame of its sockets, in either direction, breaks the contract. */
export const mochaHooks = {
  beforeAll: watchFaults,
  afterEach(): void {
    const faults = takeFaults();
    if (faults.length > 0) throw new Error(`Frames against the contract:\n${faults.join("\n")}`);
  },
};
