export type NodeRelease = { version: string; integrity: string; sha256: string };

export const LAST_NODE_20: NodeRelease;

export function fetchedNode(options: {
  release: NodeRelease;
  home: string;
  say: (from: string) => void;
}): Promise<string>;
