import { expect, test } from "@playwright/test"
import { mailbox, signInAs, signOut } from "latchkey/testing"
import { createApp } from "../app.js"

const ada = { name: "Ada", email: "ada@example.com" }
const inbox = mailbox()
const { app, config } = createApp({
  secret: "a secret of tests, of thirty-two characters or more",
  providers: [inbox.provider],
})

// The application runs in the process of the tests, so that they can use its mailbox and its adapter.
let server
let origin
test.beforeAll(async () => {
  server = await new Promise((resolve) => {
    const listening = app.listen(0, () => resolve(listening))
  })
  origin = `http://localhost:${server.address().port}`
})
test.afterAll(() => server.close())

test("the orders are shown to a signed-in user until the sign-out", async ({ context, page }) => {
  await signInAs(context, ada, { config, origin })
  await page.goto(`${origin}/orders`)
  await expect(page.getByRole("heading")).toHaveText("Your orders")
  await signOut(context)
  await page.reload()
  await expect(page).toHaveURL(/\/auth\/signin\?/)
})

test("the orders of all users are shown to administrators", async ({ context, page }) => {
  await signInAs(context, { name: "Grace", role: "admin" }, { config, origin })
  await page.goto(`${origin}/admin`)
  await expect(page.getByRole("heading")).toHaveText("All orders")
})

test("the orders are shown after a sign-in by an email link", async ({ page }) => {
  await page.goto(`${origin}/orders`)
  await page.getByLabel("Email").fill(ada.email)
  await page.getByRole("button", { name: "Email" }).click()
  await page.goto(await inbox.link(ada.email))
  await expect(page.getByRole("heading")).toHaveText("Your orders")
})
