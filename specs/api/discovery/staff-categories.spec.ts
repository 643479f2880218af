import { expect } from "chai";
import sharp from "sharp";
import { newId } from "../../../base/ids.ts";
import { categoriesCollection, MAX_SUBCATEGORIES } from "../../../store/mongo/discovery/categories.ts";
import type { Success } from "../../support/api.ts";
import { movableClock } from "../../support/clock.ts";
import type { Person } from "../../support/given-channels.ts";
import { givenStaff } from "../../support/given-staff.ts";
import { animated, image } from "../../support/images.ts";
import { openOwnStores } from "../../support/own-stores.ts";
import { setUpWorld } from "../../support/set-up-world.ts";

const SECOND = 1_000;

describe("categories as staff keep them", function () {
  this.timeout(60_000);
  const { world, given } = setUpWorld({ clock: movableClock(), stores: openOwnStores });
  let staff: Person;
  before(async () => {
    staff = await givenStaff(world, given).staff();
  });

  let number = 0;
  const add = (body: Record<string, unknown> = {}): Promise<Success<"createCategory">> =>
    staff.api.ok("createCategory", { body: { name: `Category ${++number}`, ...body } });
  const refusal = async (operation: "createCategory" | "updateCategory", id: string | null, body: object) =>
    (
      await staff.api.call(operation, {
        body,
        ...(id === null ? {} : { params: { category_id: id } }),
      })
    ).code;
  const at = (category_id: string) => ({ params: { category_id } });

  it("are added once for one Idempotency-Key, also at once", async () => {
    const keyed = (name: string) =>
      staff.api.call("createCategory", { body: { name }, headers: { "idempotency-key": "k1" } });

    const answers = await Promise.all([keyed("Once only"), keyed("Once only")]);
    const again = await keyed("Once only");

    expect([...answers, again].map(({ status }) => status)).deep.equal([201, 201, 201]);
    expect(new Set([...answers, again].map(({ body }) => Object(body).id)).size).equal(1);
    expect((await keyed("Twice")).code).equal("idempotency_conflict");
    await staff.api.ok("deleteCategory", at(Object(again.body).id));
    expect((await keyed("Once only")).code).equal("not_found");
  });

  it("are added with a slug of their name, and changed", async () => {
    const parent = await add({ name: "Board Games & Café", tags: ["Cosy", "COSY", "dice"] });
    expect((await add({ name: "Straßen & İ\u200bstanbul" })).slug).equal("strassen-istanbul");
    expect(parent).include({ slug: "board-games-cafe", name: "Board Games & Café", live_viewer_count: 0 });
    expect(parent.tags).deep.equal(["cosy", "dice"]);
    expect(parent).not.property("parent_id");
    const unnamed = await add({ name: "将棋" });
    expect(unnamed.slug).equal(unnamed.id);
    const long = await add({ name: "㏒".repeat(60) });
    expect(long.slug).equal("log".repeat(22).slice(0, 64));
    expect(await staff.api.ok("getCategory", at(long.slug))).deep.equal(long);

    const moved = await staff.api.ok("updateCategory", {
      ...at(unnamed.slug),
      body: { name: "Shogi", slug: "shogi", parent_id: parent.id, tags: ["japan"] },
    });

    expect(moved).deep.equal({
      ...unnamed,
      name: "Shogi",
      slug: "shogi",
      parent_id: parent.id,
      tags: ["japan"],
    });
    expect(await staff.api.ok("getCategory", at("shogi"))).deep.equal(moved);
    const atTop = await staff.api.ok("updateCategory", { ...at("shogi"), body: { parent_id: null } });
    expect(atTop).not.property("parent_id");
  });

  it("have slugs of their own, two levels, and parents that are there", async () => {
    const [top, other] = [await add(), await add()];
    const below = await add({ parent_id: top.id });
    const unknown = newId();

    expect(await refusal("createCategory", null, { name: "x", slug: top.slug })).equal("slug_taken");
    expect(await refusal("updateCategory", other.id, { slug: top.slug })).equal("slug_taken");
    expect(await refusal("updateCategory", top.id, { slug: top.slug })).equal(null);
    expect(await refusal("createCategory", null, { name: "x", parent_id: below.id })).equal(
      "category_too_deep",
    );
    expect(await refusal("updateCategory", top.id, { parent_id: other.id })).equal("category_too_deep");
    expect(await refusal("updateCategory", other.id, { parent_id: other.id })).equal("category_too_deep");
    const answer = await staff.api.call("createCategory", { body: { name: "x", parent_id: unknown } });
    expect(answer).deep.include({ code: "not_found", details: { category_id: unknown } });
    for (const slug of ["", "-a", "a--b", "A", "ä"])
      expect(await refusal("createCategory", null, { name: "x", slug }), slug).equal("validation_failed");
  });

  it("are at most 199 below one", async () => {
    const parent = await add();
    const docs = Array.from({ length: MAX_SUBCATEGORIES }, (_, n) => ({
      _id: newId(),
      slug: `full-${n}`,
      name: "Full",
      coverImage: null,
      parentId: parent.id,
      tags: [],
      createdAt: new Date(),
    }));
    await categoriesCollection.in(world.core.mongo.db).insertMany(docs);

    const one = await staff.api.call("createCategory", { body: { name: "One more", parent_id: parent.id } });

    expect(one).deep.include({ code: "limit_reached", details: { limit: MAX_SUBCATEGORIES } });
    expect(await refusal("updateCategory", docs[0]?._id ?? "", { parent_id: parent.id })).equal(null);
  });

  it("stay two levels when each of two is put below the other at once", async () => {
    for (let round = 0; round < 10; round++) {
      const [one, other] = [await add(), await add()];
      const codes = await Promise.all([
        refusal("updateCategory", one.id, { parent_id: other.id }),
        refusal("updateCategory", other.id, { parent_id: one.id }),
      ]);
      expect(codes.toSorted()).deep.equal(["category_too_deep", null].toSorted());
    }
  });

  it("have a cover of the uploaded bytes, until there is another one or none", async () => {
    const { id } = await add();
    const put = async (upload: { body: Buffer; headers: Record<string, string> }) =>
      staff.api.ok("setCategoryCover", { ...at(id), ...upload });
    const bytesOf = async (url: string | null) => {
      const answer = await fetch(`${world.baseUrl}${new URL(url ?? "").pathname}`);
      return { status: answer.status, bytes: Buffer.from(await answer.arrayBuffer()) };
    };

    const first = await put(await image("png", 900));
    const { bytes } = await bytesOf(first.cover_image);
    expect(await sharp(bytes).metadata()).include({ format: "webp", width: 600, height: 800 });
    const second = await put(await animated(3));
    expect(second.cover_image).not.equal(first.cover_image);
    expect(await staff.api.ok("getCategory", at(id))).deep.equal(second);
    expect((await bytesOf(second.cover_image)).status).equal(200);

    expect(await staff.api.ok("deleteCategoryCover", at(id))).include({ cover_image: null });
    // Served still for who has it on the screen, and gone in time.
    expect((await bytesOf(first.cover_image)).status).equal(200);
    world.clock.move(3_601 * SECOND);
    await world.core.pictures.sweep();
    for (const { cover_image } of [first, second]) expect((await bytesOf(cover_image)).status).equal(404);
    const text = { body: Buffer.from("no picture"), headers: { "content-type": "image/png" } };
    const refused = await (await staffAgain()).api.call("setCategoryCover", { ...at(id), ...text });
    expect(refused.code).equal("unsupported_media_type");
  });

  /** The clock has gone past the old token's time. */
  async function staffAgain(): Promise<Person> {
    staff = await given.signedInAgain(staff);
    return staff;
  }

  it("show a new name on streams, and leave them when they are removed", async () => {
    const parent = await add();
    const child = await add({ parent_id: parent.id, name: "Before" });
    const channel = await given.liveChannel();
    const shown = async () =>
      (await channel.owner.api.ok("getPublicProfile", { params: { username: channel.owner.username } }))
        .stream.category;
    await channel.owner.api.ok("updateMyStream", { body: { category_id: child.id } });
    const entry = { title: "Sunday", starts_at: "2030-01-06T18:00:00.000Z", category_id: child.id };
    await channel.owner.api.ok("createScheduleEntry", { body: entry });
    expect(await shown()).deep.equal({ id: child.id, name: "Before", slug: "before" });

    await staff.api.ok("updateCategory", { ...at(child.id), body: { name: "After" } });
    world.clock.move(11 * SECOND);
    expect(await shown()).include({ id: child.id, name: "After" });

    expect((await staff.api.call("deleteCategory", at(parent.id))).code).equal("category_not_empty");
    await staff.api.ok("deleteCategory", at(child.id));
    await staff.api.ok("deleteCategory", at(parent.id));
    expect((await staff.api.call("getCategory", at(child.id))).code).equal("not_found");
    expect((await staff.api.call("deleteCategory", at(child.id))).code).equal("not_found");
    world.clock.move(11 * SECOND);
    expect(await shown()).equal(undefined);
    const categoryId = async () =>
      (await channel.owner.api.ok("getStream", { params: channel.at })).category_id;
    await world.core.categoryChanges.sweep();
    expect(await categoryId(), "while another worker may take it for one that is there").equal(child.id);
    world.clock.move(20 * SECOND);
    await world.core.categoryChanges.sweep();
    expect(await categoryId()).equal(null);
    const planned = await channel.owner.api.ok("listSchedule", {
      params: { username: channel.owner.username },
      query: { from: "2030-01-06T00:00:00.000Z", to: "2030-01-07T00:00:00.000Z" },
    });
    expect(planned.items.map(({ category_id }) => category_id)).deep.equal([null]);
  });
});
