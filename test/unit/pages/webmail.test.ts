import { createPages } from "../../../lib/pages/render.js"
import { findWebmail } from "../../../lib/pages/webmail.js"
import { visibleText } from "../../support/html.js"
import { renderSample } from "./samples.js"

describe("findWebmail", () => {
  it.each([
    ["ada@gmail.com", "Gmail"],
    ["ada@HOTMAIL.com", "Outlook"],
    ["ada@yahoo.com", "Yahoo Mail"],
    ["ada@icloud.com", "iCloud Mail"],
    ["ada@gmx.de", "GMX"],
    ["ada@proton.me", "Proton Mail"],
  ])("knows the site for %s", (email, name) => {
    expect(findWebmail(email)).toEqual({ name, url: expect.stringMatching(/^https:\/\/[a-z.]+\/[a-z/]*$/) })
  })

  it.each(["ada@example.com", "ada@mail.gmail.com", "gmail.com@example.com", "constructor", ""])(
    "knows no site for %j",
    (email) => {
      expect(findWebmail(email)).toBeUndefined()
    },
  )
})

describe("the page Check your email", () => {
  const pages = createPages({})
  const webmail = { name: "Gmail", url: "https://mail.google.com/mail/" }
  const links = (html: string) => html.match(/<a class="button[^>]*>/g) ?? []

  it("links to the webmail in a new tab, so that the code can still be entered", () => {
    const { html } = renderSample(pages, "verify-request", { webmail })
    expect(visibleText(html)).toContain("Open Gmail")
    expect(links(html)).toEqual([
      '<a class="button" href="https://mail.google.com/mail/" target="_blank" rel="noopener noreferrer">',
    ])
  })

  it("has no such link for another domain", () => {
    expect(links(renderSample(pages, "verify-request").html)).toEqual([])
  })
})
