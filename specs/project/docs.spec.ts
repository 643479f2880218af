import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { expect } from "chai";
import { operationsOf, readOpenApi, responsesOf } from "../../contract/openapi-document.ts";
import { projectRoot } from "../../deploy/processes/config/project.ts";

const FOLDERS = [
  "actors",
  "api",
  "base",
  "contract",
  "bench",
  "clients",
  "deploy",
  "docs",
  "jobs",
  "realtime",
  "specs",
  "store",
].concat(["tools", "web"]);
const IS_CODE = /\.(ts|tsx|mjs|lua|yaml|json|conf|sh|service)$/;
/** What was decided then, in the names of then. */
const IS_HISTORY = /^(CHANGELOG\.md|docs\/decisions\/)/;

const read = (path: string) => readFileSync(join(projectRoot, path), "utf8");

function filesBelow(folder: string): string[] {
  return readdirSync(join(projectRoot, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (["node_modules", "dist", "released"].includes(entry.name)) return [];
    return entry.isDirectory() ? filesBelow(path) : [path];
  });
}

const FILES = FOLDERS.flatMap(filesBelow);
const PAGES = [...readdirSync(projectRoot), ...FILES].filter((path) => path.endsWith(".md"));
const OF_TODAY = PAGES.filter((path) => !IS_HISTORY.test(path));

const slugOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[`*]|\]\([^)]*\)|\[/g, "")
    .replaceAll(/[^\p{L}\p{N}_ -]/gu, "")
    .replaceAll(" ", "-");

const anchorsOf = (page: string): Set<string> =>
  new Set([...read(page).matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) => slugOf(heading)));

/** The code between backticks, with its line. */
const codeIn = (page: string): { text: string; line: number }[] =>
  read(page)
    .split("\n")
    .flatMap((text, i) =>
      [...text.matchAll(/`([^`]+)`/g)].map(([, code = ""]) => ({ text: code, line: i + 1 })),
    );

describe("The pages of docs", function () {
  this.timeout(60_000);

  it("lead to files and headings that are there", () => {
    const dead = PAGES.flatMap((page) =>
      [...read(page).matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, target = ""]) => {
        if (/^(https?:|mailto:|\/)/.test(target)) return [];
        const [path = "", anchor] = target.split("#");
        const to = path === "" ? page : normalize(join(dirname(page), path));
        const isThere = existsSync(join(projectRoot, to));
        const isFound = anchor === undefined || !to.endsWith(".md") || (isThere && anchorsOf(to).has(anchor));
        return isThere && isFound ? [] : [`${page}: ${target}`];
      }),
    );
    expect(dead).deep.equal([]);
  });

  it("are each listed once in docs/README.md", () => {
    const listed = [...read("docs/README.md").matchAll(/^- \[[^\]]+\]\(([\w-]+\.md)\)/gm)].map(
      ([, page]) => page,
    );
    const pages = readdirSync(join(projectRoot, "docs")).filter(
      (name) => name.endsWith(".md") && name !== "README.md",
    );

    expect(listed).have.members(pages);
  });

  it("have the pages and headings that comments in the code refer to", () => {
    const dead = FILES.filter((path) => IS_CODE.test(path)).flatMap((path) =>
      [...read(path).matchAll(/\bdocs\/[\w/.-]+\.md(?:#([\w-]+))?/g)].flatMap(([reference, anchor]) => {
        const page = reference.split("#")[0] ?? "";
        const isThere = existsSync(join(projectRoot, page));
        const isFound = isThere && (anchor === undefined || anchorsOf(page).has(anchor));
        return isFound ? [] : [`${path}: ${reference}`];
      }),
    );
    expect(dead).deep.equal([]);
  });

  it("list the states of the interface as the contract has them", () => {
    const table = /## 3\. States\n([\s\S]*?)\n## /.exec(read("docs/interface.md"))?.[1] ?? "";
    const rows = [...table.matchAll(/^\| (`.*`) \| ([a-z_, ]+) \|$/gm)].flatMap(
      ([, fields = "", values = ""]) =>
        [...fields.matchAll(/`([\w.]+)`/g)].map(([, field = ""]) => ({ field, values: values.split(", ") })),
    );
    type Schema = { $ref?: string; enum?: string[]; properties?: { status?: Schema } };
    const document: { components: { schemas: Record<string, Schema> } } = JSON.parse(
      read("contract/generated/openapi.json"),
    );
    const { schemas } = document.components;
    const statuses = Object.entries(schemas).flatMap(([name, { properties }]) => {
      const { $ref, ...own } = properties?.status ?? {};
      const values = ($ref === undefined ? own : schemas[$ref.split("/").at(-1) ?? ""])?.enum;
      return values === undefined ? [] : [{ field: `${name}.status`, values }];
    });

    expect(rows.length).greaterThan(8);
    expect(statuses).deep.include.members(rows);
  });

  it("list the folders of web/src, and files in them that are there", () => {
    const page = read("docs/site.md");
    const table = /## Where things are\n([\s\S]*?)\n## /.exec(page)?.[1] ?? "";
    const listed = [...table.matchAll(/`([\w-]+)`/g)].map(([, name]) => name);
    const folders = readdirSync(join(projectRoot, "web/src"), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name);
    expect(folders.filter((name) => !listed.includes(name))).deep.equal([]);

    const files = [...page.matchAll(/`([\w/-]+\/[\w.-]+\.tsx?)`/g)].map(([, path = ""]) => path);
    const isThere = (path: string) =>
      [projectRoot, join(projectRoot, "web/src")].some((folder) => existsSync(join(folder, path)));
    expect(files.length).greaterThan(10);
    expect(files.filter((path) => !isThere(path))).deep.equal([]);
  });

  it("name every resource with which the interface answers", () => {
    const section = /## 2\. Resources\n([\s\S]*?)\n## /.exec(read("docs/interface.md"))?.[1] ?? "";
    const named = new Set([...section.matchAll(/`(\w+)`/g)].map(([, name]) => name));
    const document = readOpenApi();
    const nameOf = (schema: unknown): string =>
      String(Object(schema).$ref ?? "")
        .split("/")
        .at(-1) ?? "";
    const answered = operationsOf(document).flatMap(({ operation }) =>
      responsesOf(document, operation)
        .filter(([status]) => status < 300)
        .flatMap(([, { content = {} }]) => Object.values(content))
        .flatMap(({ schema }) => {
          const name = nameOf(schema);
          const { items } = Object(document.components.schemas[name]?.properties);
          const item = nameOf(items?.items);
          // A page of a list is told by what it lists.
          return [name.startsWith("Paginated") ? "" : name, item].filter((one) => one !== "");
        }),
    );

    expect(answered).include("ChatMessage");
    expect([...new Set(answered)].filter((name) => !named.has(name))).deep.equal([]);
  });

  it("set variables that are settings in the example of docs/production.md", () => {
    const example = /```sh\n(NODE_ENV=[\s\S]*?)```/.exec(read("docs/production.md"))?.[1] ?? "";
    const set = [...example.matchAll(/^([A-Z_0-9]+)=/gm)].map(([, name = ""]) => name);
    const settings = [...read("docs/configuration.md").matchAll(/^\| `([A-Z_0-9]+)` /gm)].map(
      ([, name]) => name,
    );

    expect(set.length).greaterThan(10);
    expect(settings).include.members(set);
  });

  it("name files and folders that are there", () => {
    const start = new RegExp(`^(${FOLDERS.join("|")})/[\\w./-]+$`);
    // docs/security.md names specs by their path within `specs`.
    const formsOf = (path: string) => [path, `specs/${path}.spec.ts`, `specs/${path}`, `${path}.ts`];
    const isBuilt = (path: string) => path.startsWith("web/dist");
    const missing = OF_TODAY.flatMap((page) =>
      codeIn(page)
        .filter(({ text }) => start.test(text) && !isBuilt(text))
        .filter(
          ({ text }) => !formsOf(text.replace(/\/$/, "")).some((one) => existsSync(join(projectRoot, one))),
        )
        .map(({ text, line }) => `${page}:${line}: ${text}`),
    );
    expect(missing).deep.equal([]);
  });

  it("name what the code has: functions, constants, settings, metrics, codes", () => {
    const words = new Set(
      [...FILES, "package.json"]
        .filter((path) => IS_CODE.test(path) && path !== "specs/project/docs.spec.ts")
        .flatMap((path) => [...read(path).matchAll(/[A-Za-z_][A-Za-z0-9_]*/g)].map(([word]) => word)),
    );
    const unknown = OF_TODAY.flatMap((page) =>
      codeIn(page).flatMap(({ text, line }) =>
        [...text.matchAll(/[A-Za-z][A-Za-z0-9_]*/g)]
          .map(([word]) => word)
          .filter((word) => word === text || /[a-z][A-Z]|[A-Za-z]_[A-Za-z]/.test(word))
          .filter((word) => !words.has(word))
          .map((word) => `${page}:${line}: ${word}`),
      ),
    );
    expect(unknown).deep.equal([]);
  });
});
