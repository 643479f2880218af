/** Logs as fast as it can, and answers requests at the Unix socket CHATTY_SOCKET with what became of its lines. */
import { createServer } from "node:http";
import { createLogger, reportDroppedLines } from "../../deploy/process/logger.ts";
import { standardOutput } from "../../deploy/process/standard-output.ts";
import { silentMeter } from "../../store/metrics.ts";

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
    void stop().then(() => response.end(counts(), () => process.exit(0)));
  } else response.end(counts());
}).listen(process.env.CHATTY_SOCKET);

/** The last line comes when the queue has room again. */
async function stop(): Promise<void> {
  await standardOutput().written(1_000);
  log.info("chatty: last line");
  await standardOutput().written(1_000);
}
