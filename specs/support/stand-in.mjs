// Runs another module in place of this process: `node stand-in.mjs <module> [argument …]`.
import { standIn } from "../../deploy/installation/stand-in.mjs";

await standIn(process.execPath, process.argv.slice(2));
console.log("the one that was replaced went on");
