// A replacement program for specs of stand-in.mjs: prints the signals it gets, and ends as standard input commands.
const signals = ["SIGINT", "SIGTERM", "SIGHUP", "SIGUSR2"];
const print = (line) => process.stdout.write(`${line}\n`);

for (const signal of signals) process.on(signal, () => print(signal));
const parent = process.ppid;
setInterval(() => {
  if (process.env.LIVECORE_ENDS_WITH_PARENT && process.ppid !== parent) process.exit(0);
}, 50);
process.stdin.setEncoding("utf8").on("data", (line) => {
  const [verb, value] = line.trim().split(" ");
  if (verb === "exit") process.exit(Number(value));
  if (verb === "die") process.kill(process.pid, value);
});
print(`up ${process.pid} ${process.argv.slice(2).join(" ")}`);
