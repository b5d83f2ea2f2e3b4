/**
 * Takes the screenshots in docs/images, in Chromium: the sign-in page for the README, and a contact sheet of the built-in
 * pages. Needs `dist`.
 */
import { mkdirSync } from "node:fs"
import { dirname } from "node:path"
import { fileURLToPath } from "node:url"
import express from "express"
import { authMiddleware } from "latchkey"
import { MemoryAdapter } from "latchkey/adapters/memory"
import Apple from "latchkey/providers/apple"
import Credentials from "latchkey/providers/credentials"
import Discord from "latchkey/providers/discord"
import GitHub from "latchkey/providers/github"
import GitLab from "latchkey/providers/gitlab"
import Google from "latchkey/providers/google"
import Passkey from "latchkey/providers/passkey"
import Slack from "latchkey/providers/slack"
import { chromium } from "playwright-core"

const fileAt = (path) => fileURLToPath(new URL(`../docs/images/${path}`, import.meta.url))
const PICTURE = fileAt("sign-in.png")
const CONTACT_SHEET = fileAt("pages.png")
const CLIENT = { clientId: "an-id", clientSecret: "a-secret" }
const SECRET = "a secret that the screenshots do not show"

const ADA = { id: "1", name: "Ada Lovelace", email: "ada@gmail.com", emailVerified: null }
const adapter = MemoryAdapter()
const email = { id: "email", name: "Email", type: "email", sendVerificationRequest() {} }
const password = Credentials({
  credentials: { email: { label: "Email", type: "email" }, password: { label: "Password", type: "password" } },
  authorize: async () => (await adapter.getUserByEmail(ADA.email)) ?? adapter.createUser(ADA),
})
const common = { secret: SECRET, adapter, session: { strategy: "jwt" } }

const app = express()
  .use(authMiddleware({ ...common, basePath: "/auth", providers: [email, Passkey, Google(CLIENT), GitHub(CLIENT)] }))
  .use(
    authMiddleware({
      ...common,
      basePath: "/all",
      providers: [
        email,
        password,
        Passkey,
        ...[Google, GitHub, Apple, Discord, Slack, GitLab].map((site) => site(CLIENT)),
      ],
      theme: { siteName: "Acme" },
      pages: { signUp: "/sign-up", forgotPassword: "/forgot-password" },
    }),
  )

/** Chromium resolves example.com to this site, and allows passkeys as if it were on https. */
const launch = (port) =>
  chromium.launch({
    executablePath: process.env.CHROMIUM_PATH ?? "/usr/bin/chromium",
    args: [
      "--no-sandbox",
      `--host-resolver-rules=MAP example.com 127.0.0.1:${port}`,
      "--unsafely-treat-insecure-origin-as-secure=http://example.com",
    ],
  })

async function signIn(page) {
  await page.getByRole("textbox", { name: "Email" }).fill(ADA.email)
  await page.locator("input[type=password]").fill("secret")
  await page.keyboard.press("Enter")
  await page.waitForURL("http://example.com/")
}

async function requestLink(page) {
  await page.getByRole("textbox", { name: "Email" }).fill(ADA.email)
  await page.locator("button[formnovalidate]").click()
  await page.waitForURL(/verify-request/)
}

const PHONE = { viewport: { width: 320, height: 568 } }
const TABLET = { viewport: { width: 768, height: 600 } }
const DARK = { colorScheme: "dark" }

/** The pictures of the contact sheet. `before` runs on the sign-in page; without a path, its result is shown. */
const PICTURES = [
  { name: "Sign-in", path: "/all/signin" },
  { name: "Sign-in, dark", path: "/all/signin", look: DARK },
  { name: "320 px", path: "/all/signin", look: PHONE },
  { name: "320 px, dark, German", path: "/all/signin", look: { ...PHONE, ...DARK, locale: "de" } },
  { name: "Japanese", path: "/all/signin", look: { ...PHONE, locale: "ja" } },
  { name: "Right to left", path: "/all/signin", look: { ...PHONE, locale: "ar" } },
  { name: "Forced colours", path: "/all/signin", look: { ...PHONE, ...DARK, forcedColors: "active" } },
  { name: "An error", path: "/all/signin?error=CredentialsSignin", look: TABLET },
  { name: "Signed in already", path: "/all/signin", look: TABLET, before: signIn },
  { name: "Check your email", look: TABLET, before: requestLink },
  { name: "Error page", path: "/all/error?error=Verification", look: TABLET },
  { name: "Passkeys", path: "/all/passkeys", look: TABLET, before: signIn },
  { name: "Sign-out", path: "/all/signout", look: { ...TABLET, ...DARK } },
]

async function takePicture(browser, { path, look, before }, options = {}) {
  const context = await browser.newContext({
    viewport: { width: 560, height: 400 },
    colorScheme: "light",
    locale: "en",
    ...look,
  })
  const page = await context.newPage()
  if (before) {
    await page.goto("http://example.com/all/signin")
    await before(page)
  }
  if (path) await page.goto(`http://example.com${path}`)
  await page.evaluate(() => document.activeElement?.blur())
  // The script shows the forms of passkeys.
  await page.waitForTimeout(300)
  const picture = await page.screenshot({ fullPage: true, ...options })
  await context.close()
  return picture
}

/** Arranges the pictures on one page, and takes a picture of it. */
async function takeContactSheet(browser) {
  const figures = []
  for (const entry of PICTURES) {
    const data = (await takePicture(browser, entry)).toString("base64")
    figures.push(`<figure><figcaption>${entry.name}</figcaption><img src="data:image/png;base64,${data}"></figure>`)
  }
  const page = await browser.newPage({ viewport: { width: 1800, height: 900 } })
  await page.setContent(`<style>
    body { display: flex; flex-wrap: wrap; gap: 16px; margin: 16px; background: #fff; font: 14px sans-serif }
    figure { margin: 0 } img { max-width: 336px; border: 1px solid #ccc } figcaption { margin-bottom: 4px }
  </style>${figures.join("")}`)
  await page.screenshot({ path: CONTACT_SHEET, fullPage: true })
}

const server = app.listen(0)
const browser = await launch(server.address().port)
try {
  mkdirSync(dirname(PICTURE), { recursive: true })
  await takePicture(browser, { path: "/auth/signin", look: { deviceScaleFactor: 1.5 } }, { path: PICTURE })
  await takeContactSheet(browser)
} finally {
  await browser.close()
  server.close()
}
