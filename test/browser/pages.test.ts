import type { Page } from "playwright-core"
import { accessibilityProblems, describeInChromium, overflow } from "./support/chromium.js"
import { chooseAtProvider, heading, useExamples } from "./support/visits.js"

describeInChromium("pages of the example in a browser", () => {
  const examples = useExamples()

  describe.each([
    { colorScheme: "light", width: 1000 },
    { colorScheme: "dark", width: 320 },
  ] as const)("in $colorScheme mode at $width pixels", ({ colorScheme, width }) => {
    const LOOK = { colorScheme, viewport: { width, height: 700 } }

    async function inspect(page: Page) {
      const found = { problems: await accessibilityProblems(page), overflow: await overflow(page) }
      expect({ page: page.url(), ...found }).toEqual({ page: page.url(), problems: [], overflow: 0 })
    }

    it("the example's own pages are accessible", async () => {
      const page = await (await examples.newWindow(examples.ownPages, LOOK)).newPage()
      for (const path of ["/", "/login", "/login?error=CredentialsSignin"]) {
        await page.goto(path)
        await inspect(page)
      }
      await page.goto("/profile")
      await page.getByRole("button", { name: "Continue with Development provider" }).click()
      await heading(page, "Choose a user")
      await inspect(page)
      await chooseAtProvider(page, "Alice")
      await heading(page, /Profile|Welcome/)
      for (const path of ["/profile", "/", "/account", "/orders", "/welcome"]) {
        await page.goto(path)
        await inspect(page)
      }
    })

    it("the built-in pages are accessible", async () => {
      const page = await (await examples.newWindow(examples.builtInPages, LOOK)).newPage()
      const confirm = "/auth/callback/email?token=a-link&email=ada%40example.com"
      const signIn = ["/auth/signin", "/auth/signin?error=EmailSignInError&email=ada"]
      for (const path of [...signIn, confirm, "/auth/verify-request", "/auth/signout", "/auth/error"]) {
        await page.goto(path)
        await inspect(page)
      }
    })

    it("the error pages are accessible", async () => {
      const { newPage, complaints } = await examples.newWindow(examples.ownPages, LOOK)
      const page = await newPage()
      for (const path of ["/nothing", "/auth/error?error=AccessDenied"]) {
        await page.goto(path)
        await inspect(page)
      }
      // Chromium logs the page's own error status as a console error.
      expect(complaints.splice(0)).toEqual([
        expect.stringMatching(/status of 404/),
        expect.stringMatching(/status of 403/),
      ])
    })
  })
})
