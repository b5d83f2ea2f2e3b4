import type { Page } from "playwright-core"
import { describeInChromium } from "./support/chromium.js"
import { arriveAt, chooseAtProvider, currentPath, heading, signInAtProvider, useExamples } from "./support/visits.js"

describeInChromium("signing in with a browser", () => {
  const examples = useExamples()

  describe.each([
    { pages: "the application's own page", path: "/login", origin: () => examples.ownPages, passwordButton: "Sign in" },
    {
      ...{ pages: "the built-in page", path: "/auth/signin", origin: () => examples.builtInPages },
      passwordButton: "Sign in",
    },
  ])("on $pages", ({ path, origin, passwordButton }) => {
    const open = async (options = {}) => (await examples.newWindow(origin(), options)).newPage()

    async function fillIn(page: Page, password: string) {
      await page.getByLabel("User name").fill("carol")
      await page.getByLabel("Password").fill(password)
    }

    describe.each([
      { script: "with", javaScriptEnabled: true },
      { script: "without", javaScriptEnabled: false },
    ])("$script JavaScript", ({ javaScriptEnabled }) => {
      it("leads from the guarded page to the provider and back, keeps the session, and signs out", async () => {
        const page = await open({ javaScriptEnabled })
        await page.goto("/")
        await heading(page, "You are signed out")
        await page.getByRole("link", { name: "Profile", exact: true }).click()
        expect(currentPath(page)).toBe(path)
        await signInAtProvider(page, "Alice")
        await arriveAt(page, "Profile")
        expect(page.url()).toBe(`${origin()}/profile`)
        await page.reload()
        await heading(page, "Profile")
        await page.getByText("alice@example.com").waitFor()
        await page.getByRole("button", { name: "Sign out" }).click()
        await heading(page, "You are signed out")
        await page.goto("/profile")
        expect(currentPath(page)).toBe(path)
      })

      it("signs in with a password after a wrong one is reported", async () => {
        const page = await open({ javaScriptEnabled })
        await page.goto("/account")
        await fillIn(page, "looking-glass")
        await page.getByRole("button", { name: passwordButton, exact: true }).click()
        expect(currentPath(page)).toBe(path)
        const alert = page.getByRole("alert")
        expect(await alert.textContent()).toMatch(/check them and try again/)
        const described = page.locator(`[aria-describedby="${await alert.getAttribute("id")}"]`)
        expect(await described.count()).toBe(2)
        await fillIn(page, "wonderland")
        await page.getByRole("button", { name: passwordButton, exact: true }).click()
        await heading(page, "Account")
        expect(page.url()).toBe(`${origin()}/account`)
      })
    })

    it("works with the keyboard alone", async () => {
      const page = await open()
      await page.goto("/profile")
      await page.getByLabel("User name").focus()
      await page.keyboard.type("carol")
      await page.keyboard.press("Tab")
      await page.keyboard.type("wonderland")
      await page.keyboard.press("Enter")
      await heading(page, "Profile")
    })

    it("focuses the password field after a wrong password", async () => {
      const page = await open()
      await page.goto("/profile")
      await fillIn(page, "looking-glass")
      await page.keyboard.press("Enter")
      await page.getByRole("alert").waitFor()
      // Chromium moves the focus to an element with autofocus some time after it has drawn the page.
      await page.locator('input[name="password"]:focus').waitFor()
    })

    it("reports a cancelled sign-in at the provider and allows another attempt", async () => {
      const page = await open()
      await page.goto("/profile")
      await page.getByRole("button", { name: "Continue with Development provider" }).click()
      await chooseAtProvider(page, "Cancel")
      await page.getByRole("alert").getByText("cancelled").waitFor()
      await signInAtProvider(page, "Bob")
      await arriveAt(page, "Profile")
      await page.getByText("bob@example.com").waitFor()
    })

    it("signs in from two tabs at once, each to its own page", async () => {
      const { newPage } = await examples.newWindow(origin())
      const [first, second] = [await newPage(), await newPage()]
      await first.goto("/profile")
      await second.goto("/account")
      for (const tab of [first, second]) {
        await tab.getByRole("button", { name: "Continue with Development provider" }).click()
        await heading(tab, "Choose a user")
      }
      await chooseAtProvider(first, "Alice")
      await arriveAt(first, "Profile")
      await chooseAtProvider(second, "Alice")
      await heading(second, "Account")
      await first.reload()
      await heading(first, "Profile")
    })

    it("leads a user who goes back to the provider and agrees again to the page once more", async () => {
      const page = await open()
      await page.goto("/profile")
      await signInAtProvider(page, "Alice")
      await arriveAt(page, "Profile")
      // A new user sees a welcome page first, so the provider may be two pages back.
      do await page.goBack()
      while (new URL(page.url()).origin === origin())
      await chooseAtProvider(page, "Alice")
      await heading(page, "Profile")
      expect(page.url()).toBe(`${origin()}/profile`)
    })

    it("hides a guarded page from the back button after a sign-out", async () => {
      const page = await open()
      await page.goto("/profile")
      await signInAtProvider(page, "Alice")
      await arriveAt(page, "Profile")
      await page.getByRole("button", { name: "Sign out" }).click()
      await heading(page, "You are signed out")
      await page.goBack()
      await page.waitForURL((url) => url.pathname === path)
    })
  })

  it("the built-in sign-out page asks for confirmation", async () => {
    const page = await (await examples.newWindow(examples.builtInPages)).newPage()
    await page.goto("/profile")
    await signInAtProvider(page, "Alice")
    await arriveAt(page, "Profile")
    await page.goto("/auth/signout?callbackUrl=/")
    await page.getByRole("main").getByRole("button", { name: "Sign out" }).click()
    await heading(page, "You are signed out")
  })
})
