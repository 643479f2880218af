import { expect } from "chai";
import { renderMail } from "../../../actors/mail/rendering.ts";

const HOSTILE = `<img src=x onerror="alert('1')"> & co`;

describe("The form of a mail", () => {
  it("shows what others have chosen as text, in HTML and in the address of a link", () => {
    const data = {
      username: HOSTILE,
      device: HOSTILE,
      address: "2001:db8::1",
      at: "2026-03-14T19:00:00.000Z",
    };

    const { html, text, subject } = renderMail("new_device", data, "https://livecore.example");

    expect(html).include("&lt;img src=x onerror=&quot;alert(&#39;1&#39;)&quot;&gt; &amp; co");
    expect(html).not.include("<img");
    expect(text).include(HOSTILE);
    expect(subject).not.include("img");
    const link = renderMail(
      "reset_password",
      { username: "ada", token: `"><b>` },
      "https://livecore.example",
    );
    expect(link.html).include("#token=%22%3E%3Cb%3E");
    expect(link.html).not.include(`"><b>`);
  });
});
