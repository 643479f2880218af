import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";

const NFT = "/usr/sbin/nft";
const ESTABLISHED = "01";

/**
 * Drops packets of this machine to and from TCP ports, with all sockets open, as a broken network does. By Debian's nftables,
 * which is installed if need be (as root), in a table of its own that ends with this process.
 */
export function openPacketFilter() {
  if (!existsSync(NFT))
    execFileSync("apt-get", ["install", "-y", "--no-install-recommends", "nftables"], { stdio: "ignore" });
  const table = `inet livecore_soak_${process.pid}`;
  const nft = (...lines: string[]) => execFileSync(NFT, ["-f", "-"], { input: lines.join("\n") });
  nft(`add table ${table}`, `add chain ${table} input { type filter hook input priority 0; }`);
  const close = () => void execFileSync(NFT, ["delete", "table", ...table.split(" ")], { stdio: "ignore" });
  process.once("exit", close);
  return {
    /** Everything from and to these ports. */
    drop(...ports: number[]): void {
      const set = `{ ${ports.join(", ")} }`;
      nft(`add rule ${table} input tcp dport ${set} drop`, `add rule ${table} input tcp sport ${set} drop`);
    },
    /** Everything of the connections to this port that are open now; new ones pass. */
    forgetConnectionsTo(port: number): void {
      const clients = `{ ${clientPortsOf(port).join(", ")} }`;
      nft(
        `add rule ${table} input tcp sport ${clients} tcp dport ${port} drop`,
        `add rule ${table} input tcp sport ${port} tcp dport ${clients} drop`,
      );
    },
    pass(): void {
      nft(`flush chain ${table} input`);
    },
    close(): void {
      process.off("exit", close);
      close();
    },
  };
}

/** Local ports of established connections to that port of this machine. */
function clientPortsOf(port: number): number[] {
  const ports = ["/proc/net/tcp", "/proc/net/tcp6"].flatMap((file) =>
    readFileSync(file, "utf8")
      .split("\n")
      .slice(1)
      .map((line) => line.trim().split(/\s+/))
      .filter(([, , remote = "", state]) => state === ESTABLISHED && portIn(remote) === port)
      .map(([, local = ""]) => portIn(local)),
  );
  if (ports.length === 0) throw new Error(`there is no connection to port ${port}`);
  return [...new Set(ports)];
}

/** Of an address such as "0100007F:1F90". */
const portIn = (address: string): number => Number.parseInt(address.split(":").at(-1) ?? "", 16);
