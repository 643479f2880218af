import { expect } from "chai";
import { fieldAt, profileOf } from "../../../../actors/accounts/oauth/provider.ts";

describe("what a provider says of somebody", () => {
  const claims = { subject: "1", email: "Ada@Example.org", emailVerified: true };
  const anybody = { emailDomains: null };

  it("is verified when the provider says so, and may say so of that domain", () => {
    expect(profileOf(anybody, claims).isEmailVerified).equal(true);
    expect(profileOf(anybody, { ...claims, emailVerified: "true" }).isEmailVerified).equal(true);
    for (const emailVerified of [undefined, null, false, "false", 1, "yes", {}])
      expect(profileOf(anybody, { ...claims, emailVerified }).isEmailVerified).equal(false);
    expect(profileOf({ emailDomains: ["example.org"] }, claims).isEmailVerified).equal(true);
    for (const domain of ["ample.org", "org", "mail.example.org", "other.org"])
      expect(profileOf({ emailDomains: [domain] }, claims).isEmailVerified, domain).equal(false);
  });

  it("has an address of the form that accounts have, or none", () => {
    for (const email of [
      undefined,
      7,
      "",
      "ada",
      "a@b",
      "ada@example.org\r\nBcc: x@y.org",
      '"ada"@example.org',
    ])
      expect(profileOf(anybody, { ...claims, email })).include({ email: null, isEmailVerified: false });
  });

  it("names somebody", () => {
    expect(profileOf(anybody, { ...claims, subject: 80351110224678 }).subject).equal("80351110224678");
    for (const subject of [undefined, null, "", {}, 1.5, 2 ** 53, "x".repeat(256)])
      expect(() => profileOf(anybody, { ...claims, subject })).throw();
  });

  it("is found where its fields are, and nowhere else", () => {
    const answer = { data: [{ id: "7" }] };

    expect(fieldAt(answer, "data.0.id")).equal("7");
    for (const path of ["data.1.id", "constructor", "data.length.x", "__proto__.polluted"])
      expect(fieldAt(answer, path), path).equal(undefined);
  });
});
