import { parentPort } from "node:worker_threads";
import { createEstimate } from "./estimate.ts";

const estimate = createEstimate();

parentPort?.on(
  "message",
  ({ id, password, ownWords }: { id: number; password: string; ownWords: string[] }) =>
    parentPort?.postMessage({ id, score: estimate(password, ownWords) }),
);
