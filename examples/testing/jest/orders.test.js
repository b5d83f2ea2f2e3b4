import { csrf, frozenClock, mailbox, signInAs, signOut } from "latchkey/testing"
import request from "supertest"
import { createApp } from "../app.js"

const ada = { name: "Ada", email: "ada@example.com" }
const secret = "a secret of tests, of thirty-two characters or more"

function start() {
  const [inbox, clock] = [mailbox(), frozenClock()]
  const { app } = createApp({ secret, clock, providers: [inbox.provider] })
  return { inbox, clock, agent: request.agent(app) }
}

describe("the orders", () => {
  it("are shown to a signed-in user until the sign-out", async () => {
    const { agent } = start()
    await agent.get("/orders").expect(401)
    await signInAs(agent, ada)
    await agent.get("/orders").expect(200, /Your orders/)
    await signOut(agent)
    await agent.get("/orders").expect(401)
  })

  it("of all users are shown to administrators", async () => {
    const { agent } = start()
    await signInAs(agent, ada)
    await agent.get("/admin").expect(403)
    await signInAs(agent, { name: "Grace", role: "admin" })
    await agent.get("/admin").expect(200, /All orders/)
  })

  it("are not shown after a month without use", async () => {
    const { agent, clock } = start()
    await signInAs(agent, ada)
    clock.advance({ days: 29 })
    await agent.get("/orders").expect(200)
    clock.advance({ days: 31 })
    await agent.get("/orders").expect(401)
  })

  it("are shown after a sign-in by an email link", async () => {
    const { agent, inbox } = start()
    const csrfToken = await csrf(agent)
    await agent.post("/auth/signin/email").type("form").send({ csrfToken, email: ada.email }).expect(302)
    const { pathname, search } = new URL(await inbox.link(ada.email))
    await agent.get(pathname + search).expect(302)
    await agent.get("/orders").expect(200)
  })
})
