import { once } from "node:events"
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net"
import { setTimeout as pause } from "node:timers/promises"
import { SqlAdapter } from "../../lib/adapters/sql.js"
import { type Database, mysql, postgres } from "../support/stores/sql.js"
import { describeStore } from "../support/stores.js"

/** A proxy to a database server that can be cut or silenced, as if the machine had disappeared. */
class TcpProxy {
  readonly #sockets = new Set<Socket>()
  readonly #server: Server
  #isSilent = false

  constructor(target: { host: string; port: number }) {
    this.#server = createServer((client) => {
      const server = connect(target)
      for (const [from, to] of [
        [client, server],
        [server, client],
      ] as const) {
        this.#sockets.add(from)
        from.on("data", (chunk) => void (this.#isSilent || to.write(chunk)))
        from.on("error", () => {}).on("close", () => to.destroy())
      }
    })
  }

  async listen(): Promise<number> {
    this.#server.listen(0, "127.0.0.1")
    await once(this.#server, "listening")
    // The address of a TCP server is an object.
    return (this.#server.address() as AddressInfo).port
  }

  silence(isSilent: boolean): void {
    this.#isSilent = isSilent
  }

  cut(): void {
    for (const socket of this.#sockets) socket.destroy()
    this.#sockets.clear()
  }

  async close(): Promise<void> {
    this.cut()
    this.#server.close()
    await once(this.#server, "close")
  }
}

const KILL = {
  postgres: `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = ?`,
  mysql: "SELECT id FROM information_schema.processlist WHERE db = database() AND id <> connection_id()",
}

for (const each of [postgres, mysql])
  describeStore(`a connection to ${each.name}`, each, ({ dialect, create, url = "" }) => {
    let database: Database
    let closeStore: () => Promise<void>
    let id: string
    const unhandled: unknown[] = []
    const recordError = (error: unknown) => void unhandled.push(error)

    beforeAll(async () => {
      const opened = await create()
      database = opened.database
      closeStore = opened.close
      id = (await opened.adapter.createUser({ id: crypto.randomUUID(), email: "a@b.test", emailVerified: null })).id
      process.on("uncaughtException", recordError).on("unhandledRejection", recordError)
    })
    afterAll(async () => {
      process.off("uncaughtException", recordError).off("unhandledRejection", recordError)
      await closeStore()
      expect(unhandled).toEqual([])
    })

    const toTarget = ({ hostname, port }: URL) => ({ host: hostname, port: Number(port) })

    /** An adapter that connects through the proxy. */
    async function open(options: object = {}) {
      const proxy = new TcpProxy(toTarget(new URL(url)))
      const address = new URL(database.address)
      address.port = String(await proxy.listen())
      address.hostname = "127.0.0.1"
      const adapter =
        dialect === "postgres"
          ? SqlAdapter({ postgres: { connectionString: address.href, application_name: "to be killed", ...options } })
          : SqlAdapter({ mysql: { uri: address.href, ...options } })
      return { adapter, proxy }
    }

    async function killAll(): Promise<void> {
      if (dialect === "postgres") await database.raw.query(KILL.postgres, ["to be killed"])
      else for (const { id: thread } of await database.raw.query(KILL.mysql)) await database.raw.query(`KILL ${thread}`)
    }

    it("is replaced if the server ends it while it is idle", async () => {
      const { adapter, proxy } = await open()
      await Promise.all(Array.from({ length: 5 }, () => adapter.getUser(id)))
      await killAll()
      await pause(50)
      expect((await adapter.getUser(id))?.id).toBe(id)
      await adapter.close()
      await proxy.close()
    })

    it("that ends during a transaction fails only that transaction", async () => {
      const { adapter, proxy } = await open()
      let started = ""
      const work = adapter.transaction(async (within) => {
        const user = await within.createUser?.({ id: crypto.randomUUID(), email: "x@y.test", emailVerified: null })
        started = user?.id ?? ""
        await killAll()
        await within.getUser?.(started)
      })
      await expect(work).rejects.toThrow()
      expect(await adapter.getUser(started)).toBeNull()
      expect((await adapter.transaction(async (within) => within.getUser?.(id)))?.id).toBe(id)
      await adapter.close()
      await proxy.close()
    })

    it("is replaced when the server is back", async () => {
      const { adapter, proxy } = await open()
      await adapter.getUser(id)
      proxy.cut()
      // The first call may still get a broken connection.
      await Promise.allSettled([adapter.getUser(id)])
      expect((await adapter.getUser(id))?.id).toBe(id)
      await adapter.close()
      await proxy.close()
    })

    it("fails within 10 seconds if it becomes silent, and within 7 if it does not open", async () => {
      const [used, fresh] = [await open(), await open()]
      await used.adapter.getUser(id)
      for (const { proxy } of [used, fresh]) proxy.silence(true)
      await Promise.all([
        expectTimeout(10_000, () => used.adapter.transaction(async (within) => within.getUser?.(id))),
        expectTimeout(7_000, () => fresh.adapter.getUser(id)),
      ])
      for (const { proxy } of [used, fresh]) proxy.silence(false)
      for (const { adapter, proxy } of [used, fresh]) {
        // The first response belongs to the abandoned statement.
        for (let round = 0; round < 3; round++) expect((await adapter.getUser(id))?.id).toBe(id)
        await adapter.close()
        await proxy.close()
      }
    }, 30_000)

    async function expectTimeout(limitMs: number, work: () => unknown): Promise<void> {
      const began = performance.now()
      await expect((async () => work())()).rejects.toThrow(/time/i)
      expect(performance.now() - began).toBeLessThan(limitMs)
    }

    it("that is refused fails at once", async () => {
      const { adapter, proxy } = await open()
      await proxy.close()
      const began = performance.now()
      await expect(adapter.getUser(id)).rejects.toThrow(/ECONNREFUSED/)
      expect(performance.now() - began).toBeLessThan(2_000)
      await adapter.close()
    })
  })
