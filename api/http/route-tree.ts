type Node<Route> = {
  fixed: Map<string, Node<Route>>;
  parameter: Node<Route> | null;
  end: { route: Route; names: string[] } | null;
};

const nodeOf = <Route>(): Node<Route> => ({ fixed: new Map(), parameter: null, end: null });

const PARAMETER = /^\{(\w+)\}$/;

/**
 * Matches routes by path, as OpenAPI does: a fixed segment wins over a parameter, so that /v1/streams/me isn't a stream's
 * id. A parameter is a whole segment. The time of a lookup doesn't grow with the number of routes.
 */
export function createRouteTree<Route>(routes: Iterable<readonly [path: string, route: Route]>) {
  const root = nodeOf<Route>();
  for (const [path, route] of routes) {
    const names: string[] = [];
    let node = root;
    for (const segment of segmentsOf(path)) {
      const name = PARAMETER.exec(segment)?.[1];
      if (name === undefined) node = inFixed(node, segment);
      else {
        names.push(name);
        node.parameter ??= nodeOf();
        node = node.parameter;
      }
    }
    if (node.end) throw new Error(`${path} is the same path as another one`);
    node.end = { route, names };
  }

  return {
    /** Null if no route matches. Throws URIError for a parameter whose escapes can't be decoded. */
    find(pathname: string): { route: Route; params: Record<string, string> } | null {
      if (!pathname.startsWith("/")) return null;
      const segments = segmentsOf(pathname);
      const values: string[] = [];
      const end = endOf(root, segments, 0, values);
      if (!end) return null;
      const params: Record<string, string> = {};
      for (const [i, name] of end.names.entries()) params[name] = decodeURIComponent(values[i] ?? "");
      return { route: end.route, params };
    },
  };
}

/** If a route is found, `values` has the values of its parameters. */
function endOf<Route>(
  node: Node<Route>,
  segments: string[],
  at: number,
  values: string[],
): Node<Route>["end"] {
  const segment = segments[at];
  if (segment === undefined) return node.end;
  const next = node.fixed.get(segment);
  const found = next ? endOf(next, segments, at + 1, values) : null;
  if (found || !node.parameter || segment === "") return found;
  values.push(segment);
  const viaParameter = endOf(node.parameter, segments, at + 1, values);
  if (!viaParameter) values.pop();
  return viaParameter;
}

function inFixed<Route>(node: Node<Route>, segment: string): Node<Route> {
  const known = node.fixed.get(segment) ?? nodeOf<Route>();
  node.fixed.set(segment, known);
  return known;
}

/** A trailing slash is ignored. */
function segmentsOf(path: string): string[] {
  const segments = path.split("/");
  segments.shift();
  if (segments.at(-1) === "") segments.pop();
  return segments;
}
