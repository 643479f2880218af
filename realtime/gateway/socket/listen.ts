import uWS from "uWebSockets.js";
import { rmSync } from "node:fs";

export type Listening = {
  port: number;
  /** False once it was closed. */
  isOpen(): boolean;
  /** Stops accepting connections. Idempotent. */
  close(): void;
};

type Handle = uWS.us_listen_socket;

/** Listens on a TCP port, which other workers may share, and on the Unix socket `localSocket`. */
export async function listen(
  app: uWS.TemplatedApp,
  at: { port: number; host?: string; localSocket: string },
): Promise<Listening> {
  const { port, host, localSocket } = at;
  const handles: Handle[] = [];
  const close = () => {
    // The socket's file is removed first, so that nobody finds a socket that isn't served any more; uWS leaves it behind.
    rmSync(localSocket, { force: true });
    for (const handle of handles.splice(0)) uWS.us_listen_socket_close(handle);
  };
  const take = (what: string, handle: Handle | false) => {
    if (!handle) {
      close();
      throw new Error(`${what} can't be listened on; is it in use?`);
    }
    handles.push(handle);
    return handle;
  };
  const tcp = take(
    `Port ${port}`,
    await new Promise<Handle | false>((done) => {
      if (host === undefined) app.listen(port, done);
      else app.listen(host, port, done);
    }),
  );
  take(localSocket, await new Promise<Handle | false>((done) => void app.listen_unix(done, localSocket)));
  return {
    port: uWS.us_socket_local_port(tcp as unknown as uWS.us_socket),
    isOpen: () => handles.length > 0,
    close,
  };
}
