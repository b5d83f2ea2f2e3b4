/**
 * Takes the screenshot for the README: the built-in sign-in page in Chromium. Needs `dist`.
 */
import { mkdirSync } from "node:fs"
import { dirname } from "node:path"
import { fileURLToPath } from "node:url"
import express from "express"
import { authMiddleware } from "latchkey"
import { MemoryAdapter } from "latchkey/adapters/memory"
import GitHub from "latchkey/providers/github"
import Google from "latchkey/providers/google"
import Passkey from "latchkey/providers/passkey"
import { chromium } from "playwright-core"

const PICTURE = fileURLToPath(new URL("../docs/images/sign-in.png", import.meta.url))
const CLIENT = { clientId: "an-id", clientSecret: "a-secret" }

const email = { id: "email", name: "Email", type: "email", sendVerificationRequest() {} }

const app = express().use(
  authMiddleware({
    secret: "a secret that the screenshot does not show",
    adapter: MemoryAdapter(),
    providers: [email, Passkey, Google(CLIENT), GitHub(CLIENT)],
    experimental: { enableWebAuthn: true },
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

async function takePicture(port) {
  const browser = await launch(port)
  try {
    const page = await browser.newPage({
      viewport: { width: 560, height: 400 },
      deviceScaleFactor: 1.5,
      colorScheme: "light",
      locale: "en",
    })
    await page.goto("http://example.com/auth/signin")
    await page.evaluate(() => document.activeElement?.blur())
    mkdirSync(dirname(PICTURE), { recursive: true })
    await page.screenshot({ path: PICTURE, fullPage: true })
  } finally {
    await browser.close()
  }
}

const server = app.listen(0)
try {
  await takePicture(server.address().port)
} finally {
  server.close()
}
