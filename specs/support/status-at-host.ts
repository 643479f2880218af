import { request } from "node:http";

type Sent = { port: number; path: string; host: string; method?: string };

/** The status of an answer on this machine to a request with that Host. By node:http, since fetch sets the Host itself. */
export const statusAtHost = ({ port, path, host, method = "GET" }: Sent): Promise<number> =>
  new Promise((resolve, reject) => {
    const sent = request({ host: "127.0.0.1", port, path, method, headers: { host } }, (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    });
    sent.once("error", reject);
    sent.end();
  });
