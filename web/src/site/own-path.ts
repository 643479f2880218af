/**
 * The path of an address below `root`, the site's own address with a slash at its end. Whatever host it names: links name the public
 * one, which this browser may know by another. Null for what isn't a page of the site: a path with two slashes would name a host itself.
 */
export function ownPath(address: string, root: string): string | null {
  if (!URL.canParse(address, root)) return null;
  const { protocol, pathname, search } = new URL(address, root);
  const isBelow = pathname.startsWith(new URL(root).pathname) && !pathname.includes("//");
  return isBelow && /^https?:$/.test(protocol) ? pathname + search : null;
}
