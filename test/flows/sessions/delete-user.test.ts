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

type Memory = ReturnType<typeof MemoryAdapter>

const [ADA, BOB] = [
  { name: "Ada", email: "ada@example.com" },
  { name: "Bob", email: "bob@example.com" },
]

describe.each(["jwt", "database"] as const)("deleteUser with the strategy %s", (strategy) => {
  /** Starts an application. `replace` returns the adapter's deleteUser method, or undefined to remove it. */
  function start(replace: (memory: Memory) => Adapter["deleteUser"] = (memory) => memory.deleteUser) {
    const memory = MemoryAdapter()
    const { deleteUser: _, ...methods } = memory
    const replaced = replace(memory)
    const adapter: Adapter = { ...methods, ...(replaced && { deleteUser: replaced }) }
    const { logger } = recordingLogger()
    const config: AuthConfig = { secret: TEST_SECRET, logger, providers: [], adapter, session: { strategy } }
    const app = express().use(authMiddleware(config))
    app.get("/guarded", requireAuth, (_req, res) => void res.end())
    const signIn = async (user = ADA) => {
      const agent = request.agent(app)
      return { agent, id: (await signInAs(agent, user)).user.id }
    }
    return { memory, config, signIn }
  }

  const status = async ({ agent }: { agent: ReturnType<typeof request.agent> }) => (await agent.get("/guarded")).status

  it("ends all sessions of the user, deletes the user, and keeps other users", async () => {
    const { memory, config, signIn } = start()
    const [desktop, phone, bob] = [await signIn(), await signIn(), await signIn(BOB)]
    expect(await Promise.all([desktop, phone, bob].map(status))).toEqual([200, 200, 200])
    await deleteUser(config, desktop.id)
    expect(await Promise.all([desktop, phone, bob].map(status))).toEqual([401, 401, 200])
    expect([await memory.getUserByEmail(ADA.email), await listSessions(config, desktop.id)]).toEqual([null, []])
    expect(await memory.getUserByEmail(BOB.email)).toMatchObject(BOB)
  })

  it("ends a session that is created while the user is deleted", async () => {
    let lateSession: Awaited<ReturnType<ReturnType<typeof start>["signIn"]>> | undefined
    const { config, signIn } = start((memory) => async (id) => {
      lateSession = await signIn()
      await memory.deleteUser(id)
    })
    await deleteUser(config, (await signIn()).id)
    expect(lateSession && (await status(lateSession))).toBe(401)
    expect(await listSessions(config, lateSession?.id)).toEqual([])
  })

  it("ends the sessions if the adapter fails, and can be called again", async () => {
    let isDown = true
    const { memory, config, signIn } = start((memory) => async (id) => {
      if (isDown) throw new Error("the database is down")
      await memory.deleteUser(id)
    })
    const ada = await signIn()
    await expect(deleteUser(config, ada.id)).rejects.toMatchObject({ type: "AdapterError", status: 503 })
    expect([await status(ada), await memory.getUserByEmail(ADA.email)]).toMatchObject([401, ADA])
    isDown = false
    await deleteUser(config, ada.id)
    expect(await memory.getUserByEmail(ADA.email)).toBeNull()
  })

  it("throws an error that names the adapter's missing method or the missing id, and ends nothing", async () => {
    const { config, signIn } = start(() => undefined)
    const ada = await signIn()
    await expect(deleteUser(config, ada.id)).rejects.toThrow("the adapter lacks deleteUser")
    await expect(deleteUser(config, undefined)).rejects.toThrow("the user's id is undefined")
    await expect(deleteUser(config, "")).rejects.toThrow("the user's id is empty")
    expect(await status(ada)).toBe(200)
  })
})
