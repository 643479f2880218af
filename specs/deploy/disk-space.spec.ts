import { expect } from "chai";
import { watchDiskSpace } from "../../deploy/development/stores/disk-space.ts";
import { eventually } from "../support/eventually.ts";
import { type LogLine, recordingLog } from "../support/recording-log.ts";

describe("Disk space of the stores that the service started", () => {
  it("warns once below 10 % and once below 5 %, and logs once that there is enough again", async () => {
    const lines: LogLine[] = [];
    const measured = [0.5, 0.099, 0.09, 0.049, 0.01, 0.3];
    let checks = 0;
    const watching = await watchDiskSpace({
      folder: "/data",
      log: recordingLog(lines),
      everyMs: 1,
      readFree: async () => measured[Math.min(checks++, measured.length - 1)] ?? 1,
    });

    await eventually(() => checks > measured.length + 3);
    await watching.stop();

    expect(lines.map(({ level, message, fields }) => ({ level, message, ...fields }))).deep.equal([
      { level: "warn", message: "disk space low", folder: "/data", freePercent: 9.9 },
      {
        level: "error",
        message: "disk space very low: stores end when it runs out",
        folder: "/data",
        freePercent: 4.9,
      },
      { level: "info", message: "disk space sufficient again", folder: "/data", freePercent: 30 },
    ]);
  });
});
