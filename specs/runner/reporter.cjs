// mocha's own output, and at the end the counts of each spec file as JSON where SPEC_COUNTS points.
const { writeFileSync } = require("node:fs");
const mocha = require("mocha");

module.exports = class CountingReporter extends mocha.reporters.Spec {
  constructor(runner, options) {
    super(runner, options);
    const files = {};
    const count = (kind) => (one) => {
      const file = one.file ?? one.parent?.file ?? "";
      files[file] ??= { passed: 0, failed: 0, skipped: 0 };
      files[file][kind] += 1;
    };
    runner.on("pass", count("passed"));
    runner.on("fail", count("failed"));
    runner.on("pending", count("skipped"));
    runner.once("end", () => {
      if (process.env.SPEC_COUNTS) writeFileSync(process.env.SPEC_COUNTS, JSON.stringify(files));
    });
  }
};
