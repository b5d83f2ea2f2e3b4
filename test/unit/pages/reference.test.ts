import { createPages } from "../../../lib/pages/render.js"
import { failure, signIn } from "./samples.js"

const pages = createPages({})

describe("the reference of a failure", () => {
  it.each([
    ["error", (reference: string | undefined) => pages.render("error", { ...failure, reference }).html],
    ["sign-in", (reference: string | undefined) => pages.render("signin", signIn({ reference })).html],
  ] as const)("is shown at the end of the %s page if there is one", (_, render) => {
    expect(render("K7QF-3M2X")).toMatch(/<p class="hint">Reference: <b dir="auto">K7QF-3M2X<\/b>\s*<\/p>\s*<\/main>/)
    expect(render(undefined)).not.toMatch(/Reference|class="hint"/)
  })

  it("is escaped", () => {
    const { html } = pages.render("error", { ...failure, reference: "<script>alert(1)</script>" })
    expect(html).toContain("&lt;script&gt;alert(1)&lt;/script&gt;")
    expect(html).not.toContain("<script>")
  })
})
