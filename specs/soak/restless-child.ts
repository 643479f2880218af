/** The soak command with scenarios that leave something running, as failed ones do. */
import { scenario } from "../stress/scenario.ts";
import { soak } from "./run.ts";

const restless = (name: string, end: () => void) =>
  scenario({
    name,
    about: "leaves a timer",
    sizes: {},
    fixed: {},
    run: async () => {
      setInterval(() => undefined, 1_000);
      end();
      return { done: 1 };
    },
  });

const broken = () => {
  throw new Error("a promise was broken");
};

await soak({ toys: [restless("whole", () => undefined), restless("broken", broken)] }, process.argv.slice(2));
