// mocha's own output, and at the end the counts of each spec file as JSON where SPEC_COUNTS points. What runs and how it
// went is said on a channel, for the recorder of specs/contract/coverage.
const { channel } = require("node:diagnostics_channel");
const { writeFileSync } = require("node:fs");
const mocha = require("mocha");

module.exports = class CountingReporter extends mocha.reporters.Spec {
  constructor(runner, options) {
    super(runner, options);
    const files = {};
    const specs = channel("livecore:specs");
    runner.on("suite", ({ file }) => file && specs.publish({ file }));
    runner.on("test", () => specs.publish({ isPassed: false }));
    runner.on("pass", () => specs.publish({ isPassed: true }));
    const count = (kind) => (one) => {
      const file = one.file ?? one.parent?.file ?? "";
      files[file] ??= { passed: 0, failed: 0, skipped: 0 };
      files[file][kind] += 1;
    };
    runner.on("pass", count("passed"));
    runner.on("fail", count("failed"));
    runner.on("pending", count("skipped"));
    runner.once("end", () => {
      specs.publish({ isOver: true });
      if (process.env.SPEC_COUNTS) writeFileSync(process.env.SPEC_COUNTS, JSON.stringify(files));
    });
  }
};
