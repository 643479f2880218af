import { hostIn, isThisMachine, urlHostOf } from "../../../base/this-machine.ts";

/**
 * Whether a request names this machine, or the address or name `also`, in its Host header. A page of another site can make a name of its
 * own lead here (DNS rebinding), and then read what a development server answers, but it can't send another Host.
 */
export function namesThisMachine(host: string | undefined, also: string | null = null): boolean {
  const name = hostIn(host);
  return name !== null && (isThisMachine(name) || (also !== null && name === urlHostOf(also)));
}

export const WRONG_HOST = "This page answers only at names of this machine, such as localhost.\n";
