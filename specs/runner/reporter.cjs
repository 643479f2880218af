// mocha's own output, and at the end the counts as JSON where SPEC_COUNTS points, for the sum of the whole run.
const { writeFileSync } = require("node:fs");
const mocha = require("mocha");

module.exports = class CountingReporter extends mocha.reporters.Spec {
  constructor(runner, options) {
    super(runner, options);
    runner.once("end", () => {
      const { passes, failures, pending } = runner.stats;
      const counts = { passed: passes, failed: failures, skipped: pending };
      if (process.env.SPEC_COUNTS) writeFileSync(process.env.SPEC_COUNTS, JSON.stringify(counts));
    });
  }
};
