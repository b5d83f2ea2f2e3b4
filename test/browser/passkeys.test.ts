import { createServer } from "node:http"
import express from "express"
import type { Browser, BrowserContextOptions, Cookie, Page } from "playwright-core"
import type { Adapter } from "../../lib/adapters/adapter.js"
import { authMiddleware } from "../../lib/index.js"
import Passkey from "../../lib/providers/passkey.js"
import Resend from "../../lib/providers/resend.js"
import { recordingLogger, TEST_SECRET } from "../support/apps.js"
import { listen } from "../support/listen.js"
import { memory } from "../support/stores/memory.js"
import { sqlite } from "../support/stores/sql.js"
import type { OpenStore } from "../support/stores/store.js"
import {
  accessibilityProblems,
  describeInChromium,
  launch,
  newPerson,
  overflow,
  type Person,
} from "./support/chromium.js"
import { useVirtualAuthenticators, type VirtualAuthenticator } from "./support/virtual-authenticator.js"
import { heading } from "./support/visits.js"

interface Setup {
  /** Whether fields offer passkeys. The authenticator accepts each offer at testOnce. @default false */
  readonly hasAutofill?: boolean
  /** Whether email links are offered too. @default false */
  readonly offersLinks?: boolean
}

/** Starts an application whose front page shows the current user, and whose `/profile` shows it too. */
async function startApp(adapter: Adapter, { hasAutofill = false, offersLinks = false }: Setup) {
  const app = express()
  const links = Resend({ apiKey: "a-key", from: "no-reply@app.test" })
  app.use(
    authMiddleware({
      ...{ secret: TEST_SECRET, adapter, logger: recordingLogger().logger, experimental: { enableWebAuthn: true } },
      providers: [Passkey({ enableConditionalUI: hasAutofill }), ...(offersLinks ? [links] : [])],
    }),
  )
  for (const [path, title] of [
    ["/", "Home"],
    ["/profile", "Profile"],
  ] as const)
    app.get(path, async (req, res) => {
      const who = (await req.getSession())?.user?.email
      res.send(`<!doctype html><title>${title}</title><h1>${title} of ${who ?? "nobody"}</h1>`)
    })
  app.get("/favicon.ico", (_req, res) => res.status(204).end())
  const { origin, close } = await listen(createServer(app))
  // Passkeys require a domain.
  return { origin: origin.replace("127.0.0.1", "localhost"), close }
}

const ADA = "ada@example.com"
const REFUSED = "Your passkey wasn't accepted"

describeInChromium("passkeys in a browser", () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launch()
  })
  afterAll(() => browser?.close())

  describe.each([memory, sqlite])("with the store $name", (kind) => {
    /** A test that does not depend on the store. */
    function testOnce(name: string, test: () => Promise<void>): void {
      if (kind === memory) it(name, test)
    }

    let store: OpenStore
    let app: Awaited<ReturnType<typeof startApp>>
    let person: Person
    let page: Page
    let plug: () => Promise<VirtualAuthenticator>
    let authenticator: VirtualAuthenticator

    async function begin(setup: Setup = {}, options: BrowserContextOptions = {}) {
      store = await kind.create()
      app = await startApp(store.adapter, setup)
      person = await newPerson(browser, { baseURL: app.origin, ...options })
      page = await person.newPage()
      plug = await useVirtualAuthenticators(page)
      authenticator = await plug()
    }
    afterEach(async () => {
      await person.context.close()
      await app.close()
      await store.close()
      expect(person.complaints).toEqual([])
    })

    const click = (name: string) => page.getByRole("button", { name, exact: true }).click()
    const signedInAs = (who: string, title = "Home") => heading(page, `${title} of ${who}`)

    /** Expects the error page. Chromium logs the page's status as a console error. */
    async function expectRefused() {
      await heading(page, REFUSED)
      expect(person.complaints.splice(0)).toEqual([expect.stringMatching(/status of 403/)])
      await page.goto("/")
      await signedInAs("nobody")
    }

    async function register(email = ADA) {
      await page.goto("/auth/signin?callbackUrl=/")
      await page.locator("summary").click()
      await page.locator("details").getByLabel("Email").fill(email)
      await click("Create a passkey")
      await signedInAs(email)
    }
    async function signOut() {
      await page.goto("/auth/signout?callbackUrl=/")
      await click("Sign out")
      await signedInAs("nobody")
    }
    async function signIn(callbackUrl = "/") {
      await page.goto(`/auth/signin?callbackUrl=${callbackUrl}`)
      await click("Sign in with a passkey")
    }

    /** The fields of the next form that the browser posts. */
    const nextAnswer = async () => {
      const request = await page.waitForRequest((sent) => sent.method() === "POST" && sent.url().includes("/callback/"))
      return Object.fromEntries(new URLSearchParams(request.postData() ?? ""))
    }
    /** Submits the form of the sign-in page with a credential that the page's script has not created. */
    const sendAnswer = (fields: Record<string, string | undefined>) =>
      page.evaluate(`{
        const form = document.querySelector("form[data-passkey]")
        for (const [name, value] of ${JSON.stringify(Object.entries(fields))}) {
          const field = form.elements.namedItem(name) ?? Object.assign(document.createElement("input"), { type: "hidden", name })
          field.value = value
          form.append(field)
        }
        HTMLFormElement.prototype.submit.call(form)
      }`)

    it("can be registered, and sign in to the requested page", async () => {
      await begin()
      await register()
      await signOut()
      await signIn("/profile")
      await signedInAs(ADA, "Profile")
      expect(await store.counts()).toMatchObject({ users: 1, accounts: 1 })
    })

    testOnce("are offered in the email field", async () => {
      await begin({ hasAutofill: true, offersLinks: true })
      await authenticator.setTouched(false)
      await page.goto("/auth/signin")
      const field = page.locator('form:not([data-passkey]) input[name="email"]')
      expect(await field.getAttribute("autocomplete")).toBe("email webauthn")
      await authenticator.setTouched(true)
      await register()
      await signOut()
      await page.goto("/auth/signin?callbackUrl=/profile")
      await signedInAs(ADA, "Profile")
    })

    testOnce("report a cancelled request and work at the next attempt", async () => {
      await begin()
      await register()
      await signOut()
      await authenticator.setVerified(false)
      await signIn()
      await page.getByRole("alert").getByText("No passkey was used").waitFor()
      await authenticator.setVerified(true)
      await click("Sign in with a passkey")
      await signedInAs(ADA)
    })

    it("can be added on a second device, renamed and removed, except the last one", async () => {
      await begin()
      await register()
      await page.goto("/auth/passkeys")
      await page.getByText("your only way to sign in").waitFor()
      await click("Add a passkey")
      await page.getByRole("alert").getByText("already").waitFor()

      const [held] = await authenticator.passkeys()
      await authenticator.remove()
      const second = await plug()
      await click("Add a passkey")
      await page.getByRole("listitem").nth(1).waitFor()
      expect(new URL(page.url()).pathname).toBe("/auth/passkeys")
      const first = page.getByRole("listitem").first()
      await first.getByText("Rename", { exact: true }).first().click()
      await first.getByLabel("Name").fill("Old laptop")
      await first.getByRole("button", { name: "Rename" }).click()
      await page.getByRole("heading", { name: "Old laptop" }).waitFor()
      expect({ problems: await accessibilityProblems(page), overflow: await overflow(page) }).toEqual({
        ...{ problems: [], overflow: 0 },
      })

      await signOut()
      await signIn("/auth/passkeys")
      const old = page.getByRole("listitem").filter({ hasText: "Old laptop" })
      await old.getByText("Remove", { exact: true }).click()
      expect(await page.getByRole("listitem").count()).toBe(2)
      await old.getByRole("button", { name: "Remove passkey" }).click()
      await page.getByText("your only way to sign in").waitFor()
      expect(await page.getByRole("listitem").count()).toBe(1)
      expect(await page.getByRole("button", { name: "Remove" }).count()).toBe(0)

      await signOut()
      await second.remove()
      authenticator = await plug()
      if (held) await authenticator.put(held)
      await signIn()
      await expectRefused()
    })

    testOnce("can all be removed without JavaScript if the user has another sign-in method", async () => {
      await begin({ offersLinks: true })
      await register()
      const { id = "" } = (await store.adapter.getUserByEmail(ADA)) ?? {}
      await store.adapter.updateUser({ id, emailVerified: new Date() })
      const plain = await newPerson(browser, {
        ...{ baseURL: app.origin, javaScriptEnabled: false },
        storageState: await person.context.storageState(),
      })
      const list = await plain.newPage()
      await list.goto("/auth/passkeys")
      expect(await list.getByRole("button", { name: "Add a passkey" }).count()).toBe(0)
      await list.getByText("Rename", { exact: true }).first().click()
      await list.getByRole("textbox", { name: "Name" }).fill("Phone")
      await list.getByRole("button", { name: "Rename" }).click()
      await list.getByRole("heading", { name: "Phone" }).waitFor()
      await list.getByText("Remove", { exact: true }).click()
      await list.getByText("Do you want to remove this passkey?").waitFor()
      await list.getByRole("button", { name: "Remove passkey" }).click()
      await list.getByText("You have no passkeys yet").waitFor()
      await plain.context.close()
      expect(plain.complaints).toEqual([])
    })

    testOnce("are listed only after a sign-in", async () => {
      await begin()
      await register()
      await signOut()
      await page.goto("/auth/passkeys")
      expect(new URL(page.url()).pathname).toBe("/auth/signin")
      await page.getByText("Please sign in to see this page").waitFor()
      await click("Sign in with a passkey")
      await heading(page, "Your passkeys")
    })

    testOnce("are rejected if another origin of the same domain obtained the credential", async () => {
      await begin()
      await register()
      await signOut()
      await page.goto("/auth/signin")
      const { options } = await (await page.request.get("/auth/webauthn-options/passkey?action=authenticate")).json()
      // Another port is another origin of the same domain, so the browser lets it use the passkey.
      await page.route("http://localhost:1/", (route) => route.fulfill({ contentType: "text/html", body: "<p>Evil" }))
      await page.goto("http://localhost:1/")
      const data = await page.evaluate(`navigator.credentials
        .get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(${JSON.stringify(options)}) })
        .then((credential) => JSON.stringify(credential))`)
      await page.goto("/auth/signin")
      await sendAnswer({ action: "authenticate", data: String(data) })
      await expectRefused()
    })

    it("are rejected if a copy reuses an old counter", async () => {
      await begin()
      await register()
      const [copy] = await authenticator.passkeys()
      for (let times = 0; times < 2; times++) {
        await signOut()
        await signIn()
        await signedInAs(ADA)
      }
      await signOut()
      await authenticator.clear()
      if (copy) await authenticator.put(copy)
      await signIn()
      await expectRefused()
    })

    testOnce("accept a credential testOnce, even if the challenge cookie is restored", async () => {
      await begin()
      await register()
      await signOut()
      await page.goto("/auth/signin?callbackUrl=/")
      const cookies: Cookie[] = []
      await page.route("**/callback/passkey", async (route) => {
        cookies.push(...(await person.context.cookies()))
        await route.continue()
      })
      const answer = nextAnswer()
      await click("Sign in with a passkey")
      const { action, data } = await answer
      await signedInAs(ADA)
      await page.unroute("**/callback/passkey")
      await signOut()
      await page.goto("/auth/signin?callbackUrl=/")
      const kept = cookies.filter(({ name }) => /challenge/.test(name))
      expect(kept).toHaveLength(1)
      await sendAnswer({ action, data })
      await expectRefused()
      await page.goto("/auth/signin?callbackUrl=/")
      await person.context.addCookies(kept)
      await sendAnswer({ action, data })
      await expectRefused()
    })
  })
})
