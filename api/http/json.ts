import type { ServerResponse } from "node:http";

/** Sends a value as JSON; Express's own way does the same with conditions and settings that aren't used here. */
export const sendJson = (res: ServerResponse, status: number, value: unknown): void =>
  sendJsonText(res, status, Buffer.from(JSON.stringify(value)));

/** The same of what is JSON already. */
export function sendJsonText(res: ServerResponse, status: number, text: Buffer): void {
  res.statusCode = status;
  res.setHeader("Content-Type", "application/json; charset=utf-8");
  res.setHeader("Content-Length", text.length);
  res.end(text);
}
