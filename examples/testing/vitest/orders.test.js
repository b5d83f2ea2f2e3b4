import { csrf, fetchAgent, mailbox, sessionOf, signInAs, signOut } from "latchkey/testing"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { createApp } from "../app.js"

const ada = { name: "Ada", email: "ada@example.com" }
const inbox = mailbox()
const { app, config } = createApp({
  secret: "a secret of tests, of thirty-two characters or more",
  providers: [inbox.provider],
})

let server
let agent
beforeAll(async () => {
  server = await new Promise((resolve) => {
    const listening = app.listen(0, () => resolve(listening))
  })
})
afterAll(() => server.close())

/** Returns the status of a page. */
const statusOf = async (path) => (await agent.fetch(path)).status

describe("the orders", () => {
  beforeAll(() => {
    agent = fetchAgent(`http://localhost:${server.address().port}`)
  })

  it("are shown to a signed-in user until the sign-out", async () => {
    expect(await statusOf("/orders")).toBe(401)
    await signInAs(agent, ada, { config })
    expect(await statusOf("/orders")).toBe(200)
    await signOut(agent)
    expect(await statusOf("/orders")).toBe(401)
  })

  it("of all users are shown to administrators", async () => {
    await signInAs(agent, ada, { config })
    expect(await statusOf("/admin")).toBe(403)
    await signInAs(agent, { name: "Grace", role: "admin" })
    expect(await statusOf("/admin")).toBe(200)
  })

  it("are not shown after a month without use", async () => {
    await signInAs(agent, ada, { config, age: 31 * 24 * 60 * 60 })
    expect(await statusOf("/orders")).toBe(401)
  })

  it("are shown after a sign-in by an email link", async () => {
    const body = new URLSearchParams({ csrfToken: await csrf(agent, { config }), email: ada.email })
    await agent.fetch("/auth/signin/email", { method: "POST", body })
    await agent.fetch(await inbox.link(ada.email))
    expect(await sessionOf(agent)).toMatchObject({ user: { name: "Ada" } })
    expect(await statusOf("/orders")).toBe(200)
  })
})
