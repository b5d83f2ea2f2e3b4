import { csrf, frozenClock, mailbox, signInAs, signOut } from "latchkey/testing"
import request from "supertest"
import { createApp } from "../app.js"

const ada = { name: "Ada", email: "ada@example.com" }
const secret = "a secret of tests, of thirty-two characters or more"

function start() {
  const [mails, clock] = [mailbox(), frozenClock()]
  const { app } = createApp({ secret, clock, providers: [mails.provider] })
  return { mails, clock, agent: request.agent(app) }
}

describe("the orders", () => {
  it("are shown to whoever is signed in, until they sign out", async () => {
    const { agent } = start()
    await agent.get("/orders").expect(401)
    await signInAs(agent, ada)
    await agent.get("/orders").expect(200, /Your orders/)
    await signOut(agent)
    await agent.get("/orders").expect(401)
  })

  it("are shown to administrators, everybody's", async () => {
    const { agent } = start()
    await signInAs(agent, ada)
    await agent.get("/admin").expect(403)
    await signInAs(agent, { name: "Grace", role: "admin" })
    await agent.get("/admin").expect(200, /All orders/)
  })

  it("are closed again when nobody came for a month", async () => {
    const { agent, clock } = start()
    await signInAs(agent, ada)
    clock.advance({ days: 29 })
    await agent.get("/orders").expect(200)
    clock.advance({ days: 31 })
    await agent.get("/orders").expect(401)
  })

  it("are shown to whoever opens the link in a mail", async () => {
    const { agent, mails } = start()
    const csrfToken = await csrf(agent)
    await agent.post("/auth/signin/email").type("form").send({ csrfToken, email: ada.email }).expect(302)
    const { pathname, search } = new URL(await mails.link(ada.email))
    await agent.get(pathname + search).expect(302)
    await agent.get("/orders").expect(200)
  })
})
