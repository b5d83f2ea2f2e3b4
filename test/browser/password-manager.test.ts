/**
 * Chromium's password manager at the sign-in page. A script can't press the buttons of the browser itself, so the tests
 * read its own log, and write a password into its database.
 */
import { createCipheriv, pbkdf2Sync } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { createServer } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { BrowserContext, Page } from "playwright-core"
import { MemoryAdapter } from "../../lib/adapters/memory.js"
import { authMiddleware } from "../../lib/index.js"
import Credentials from "../../lib/providers/credentials.js"
import Passkey from "../../lib/providers/passkey.js"
import type { AuthConfig } from "../../lib/types.js"
import { TEST_SECRET } from "../support/apps.js"
import { type Listening, listen } from "../support/listen.js"
import { recordingLogger } from "../support/recording-logger.js"
import { rawSqlite } from "../support/stores/raw.js"
import { until } from "../support/wait.js"
import { describeInChromium, launchWithProfile } from "./support/chromium.js"

const ADA = "ada@example.com"
const PASSWORD = "correct horse"
const password = Credentials({
  credentials: {
    email: { label: "Email", type: "email", required: true },
    password: { label: "Password", type: "password", required: true },
  },
  authorize: (fields) => (fields.password === PASSWORD ? { id: "7", name: "Ada", email: ADA } : null),
})
const email = { ...({ id: "mail", type: "email", name: "Mail" } as const), sendVerificationRequest: () => {} }

function serve(providers: AuthConfig["providers"]): Promise<Listening> {
  const middleware = authMiddleware({
    ...{ secret: TEST_SECRET, trustHost: true, adapter: MemoryAdapter(), session: { strategy: "jwt" } },
    ...{ providers, logger: recordingLogger().logger, rateLimit: false },
  })
  return listen(
    createServer((req, res) =>
      middleware(req, res, () => res.setHeader("content-type", "text/html").end("<title>Home</title><h1>Home</h1>")),
    ),
  )
}

/** Encrypts a password as Chromium on Linux does without a key store. */
function encrypt(text: string): Buffer {
  const cipher = createCipheriv("aes-128-cbc", pbkdf2Sync("peanuts", "saltysalt", 1, 16, "sha1"), Buffer.alloc(16, " "))
  return Buffer.concat([Buffer.from("v10"), cipher.update(text), cipher.final()])
}

/** Writes Ada's password for a site into the database of a profile, as if she had saved it. */
async function savePassword(profile: string, origin: string): Promise<void> {
  const database = rawSqlite(join(profile, "Default", "Login Data"))
  // Microseconds since 1601.
  const now = (Date.now() + 11_644_473_600_000) * 1000
  await database.query(
    `INSERT INTO logins (origin_url, action_url, username_element, username_value, password_element, password_value,
       submit_element, signon_realm, date_created, blacklisted_by_user, scheme, password_type, times_used, form_data,
       display_name, icon_url, federation_url, skip_zero_click, generation_upload_status, possible_username_pairs,
       date_last_used, moving_blocked_for, date_password_modified)
     VALUES (?, '', '', ?, '', ?, '', ?, ?, 0, 0, 0, 1, x'', '', '', '', 0, 0, x'', ?, x'', ?)`,
    [`${origin}/auth/signin`, ADA, encrypt(PASSWORD), `${origin}/`, now, now, now],
  )
  await database.close()
}

describeInChromium("Chromium's password manager", () => {
  const profile = mkdtempSync(join(tmpdir(), "latchkey-profile-"))
  let chromium: BrowserContext
  let log: Page
  let sites: Listening[]

  beforeAll(async () => {
    sites = await Promise.all([serve([email, password]), serve([email, password, Passkey])])
    await start()
  })
  afterAll(async () => {
    await Promise.all([chromium.close(), ...sites.map((site) => site.close())])
    rmSync(profile, { recursive: true })
  })

  async function start(): Promise<void> {
    chromium = await launchWithProfile(profile)
    log = await chromium.newPage()
    await log.goto("chrome://password-manager-internals")
  }
  async function open(origin: string | undefined): Promise<Page> {
    const page = await chromium.newPage()
    await page.goto(`${origin}/auth/signin`)
    return page
  }
  const readLog = () => log.evaluate("document.body.innerText").then(String)
  const valuesIn = async (page: Page) => [
    await page.getByRole("textbox", { name: "Email" }).inputValue(),
    await page.getByLabel("Password").inputValue(),
  ]

  it("offers to save the password after a sign-in", async () => {
    const countOffers = async () => (await readLog()).split("Show password prompt").length - 1
    for (const [index, { origin }] of sites.entries()) {
      const page = await open(origin)
      await page.getByRole("textbox", { name: "Email" }).fill(ADA)
      await page.getByLabel("Password").fill(PASSWORD)
      await page.keyboard.press("Enter")
      await page.waitForURL(`${origin}/`)
      await until(async () => (await countOffers()) === index + 1, 10_000)
    }
  })

  it("fills a saved password into the form, and offers it beside passkeys", async () => {
    await chromium.close()
    for (const { origin } of sites) await savePassword(profile, origin)
    await start()
    await chromium.clearCookies()
    const [plain, withPasskeys] = sites
    const page = await open(plain?.origin)
    await until(() => page.evaluate(`document.querySelector("[type=password]").matches(":autofill")`), 10_000)
    // Chromium shows the values to scripts once the user does something.
    await page.mouse.click(1, 1)
    expect(await valuesIn(page)).toEqual([ADA, PASSWORD])
    const other = await open(withPasskeys?.origin)
    // The user chooses between passwords and passkeys in one list.
    await until(async () => (await readLog()).includes("wait_for_username: true"), 10_000)
    expect(await valuesIn(other)).toEqual(["", ""])
  })
})
