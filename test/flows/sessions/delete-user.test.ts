import express from "express"
import request from "supertest"
import type { Adapter } from "../../../lib/adapters/adapter.js"
import { MemoryAdapter } from "../../../lib/adapters/memory.js"
import { authMiddleware, deleteUser, listSessions, requireAuth } from "../../../lib/index.js"
import { signInAs } from "../../../lib/testing.js"
import type { AuthConfig } from "../../../lib/types.js"
import { recordingLogger, TEST_SECRET } from "../../support/apps.js"
import { failOnUnhandled } from "../../support/unhandled.js"

failOnUnhandled()

type Own = ReturnType<typeof MemoryAdapter>

const [ADA, BOB] = [
  { name: "Ada", email: "ada@example.com" },
  { name: "Bob", email: "bob@example.com" },
]

describe.each(["jwt", "database"] as const)("deleteUser with the strategy %s", (strategy) => {
  /** An application. The function returns another method for the adapter to delete users. */
  function start(replace: (own: Own) => Adapter["deleteUser"] = (own) => own.deleteUser) {
    const own = MemoryAdapter()
    const { deleteUser: _, ...methods } = own
    const replaced = replace(own)
    const adapter: Adapter = { ...methods, ...(replaced && { deleteUser: replaced }) }
    const { logger } = recordingLogger()
    const config: AuthConfig = { secret: TEST_SECRET, logger, providers: [], adapter, session: { strategy } }
    const app = express().use(authMiddleware(config))
    app.get("/guarded", requireAuth, (_req, res) => void res.end())
    const signIn = async (user = ADA) => {
      const agent = request.agent(app)
      return { agent, id: (await signInAs(agent, user)).user.id }
    }
    return { own, config, signIn }
  }

  const status = async ({ agent }: { agent: ReturnType<typeof request.agent> }) => (await agent.get("/guarded")).status

  it("ends all sessions of the user, deletes the user, and keeps other users", async () => {
    const { own, config, signIn } = start()
    const [desktop, phone, bob] = [await signIn(), await signIn(), await signIn(BOB)]
    expect(await Promise.all([desktop, phone, bob].map(status))).toEqual([200, 200, 200])
    await deleteUser(config, desktop.id)
    expect(await Promise.all([desktop, phone, bob].map(status))).toEqual([401, 401, 200])
    expect([await own.getUserByEmail(ADA.email), await listSessions(config, desktop.id)]).toEqual([null, []])
    expect(await own.getUserByEmail(BOB.email)).toMatchObject(BOB)
  })

  it("ends a session that is created while the user is deleted", async () => {
    let late: Awaited<ReturnType<ReturnType<typeof start>["signIn"]>> | undefined
    const { config, signIn } = start((own) => async (id) => {
      late = await signIn()
      await own.deleteUser(id)
    })
    await deleteUser(config, (await signIn()).id)
    expect(late && (await status(late))).toBe(401)
    expect(await listSessions(config, late?.id)).toEqual([])
  })

  it("ends the sessions if the adapter fails, and can be called again", async () => {
    let isDown = true
    const { own, config, signIn } = start((own) => async (id) => {
      if (isDown) throw new Error("the database is down")
      await own.deleteUser(id)
    })
    const ada = await signIn()
    await expect(deleteUser(config, ada.id)).rejects.toMatchObject({ type: "AdapterError", status: 503 })
    expect([await status(ada), await own.getUserByEmail(ADA.email)]).toMatchObject([401, ADA])
    isDown = false
    await deleteUser(config, ada.id)
    expect(await own.getUserByEmail(ADA.email)).toBeNull()
  })

  it("names the missing method of the adapter or the missing id, and ends nothing", async () => {
    const { config, signIn } = start(() => undefined)
    const ada = await signIn()
    await expect(deleteUser(config, ada.id)).rejects.toThrow("the adapter lacks deleteUser")
    await expect(deleteUser(config, undefined)).rejects.toThrow("the user's id is undefined")
    await expect(deleteUser(config, "")).rejects.toThrow("the user's id is empty")
    expect(await status(ada)).toBe(200)
  })
})
