/** Logs as fast as it can, and answers requests at the Unix socket CHATTY_SOCKET with what became of its lines. */
import { createServer } from "node:http";
import { silentMeter } from "../../base/metrics.ts";
import { exitAfterLastLines } from "../../deploy/processes/process/child-of-primary.ts";
import { createLogger, reportDroppedLines } from "../../deploy/processes/process/logger.ts";
import { standardOutput } from "../../deploy/processes/process/standard-output.ts";

/** As many as no pipe takes at once, and fewer than wait. */
const LAST_LINES = 2_000;

const log = createLogger({ level: "info", process: "chatty", readable: process.env.CHATTY_READABLE === "1" });
reportDroppedLines(log, silentMeter());

let written = 0;
const counts = () => JSON.stringify({ written, dropped: standardOutput().dropped() });
const talking = setInterval(() => {
  for (let i = 0; i < 100; i++) log.info({ no: ++written, padding: "x".repeat(200) }, "chatty: another line");
}, 5);

createServer((request, response) => {
  if (request.url === "/stop") {
    clearInterval(talking);
    void stop().then(() => response.end(counts(), lastLines));
  } else response.end(counts());
}).listen(process.env.CHATTY_SOCKET);

/** Resolves when the queue has room again. */
const stop = () => standardOutput().written(1_000);

/** As a worker ends, also one that crashes. */
function lastLines(): void {
  for (let no = 0; no < LAST_LINES; no++) log.info({ no, padding: "x".repeat(200) }, "chatty: last line");
  void exitAfterLastLines(0);
}
