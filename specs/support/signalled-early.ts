/** Gets a SIGUSR2 before anything handles it but the start script. */
import { setTimeout as pause } from "node:timers/promises";

process.kill(process.pid, "SIGUSR2");
await pause(100);
process.stdout.write("still running\n");
