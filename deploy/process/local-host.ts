/**
 * Whether a request names this machine, or `also`, in its Host header. A page of another site can make a name of its own lead here (DNS
 * rebinding), and then read what a development server answers, but it can't send another Host.
 */
export function namesThisMachine(host: string | undefined, also: string | null = null): boolean {
  const name = /^(\[[^\]]*\]|[^:]*)(?::\d{1,5})?$/.exec(host?.toLowerCase() ?? "")?.[1];
  return name !== undefined && (THIS_MACHINE.has(name) || name === also);
}

const THIS_MACHINE: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "[::1]"]);

export const WRONG_HOST = "This page answers only at names of this machine, such as localhost.\n";
