/**
 * Compiled only: the published adapters of Auth.js fit into our configuration, and ours into theirs.
 *
 * @module
 */
import type { AuthConfig as AuthjsConfig } from "@auth/core"
import { DrizzleAdapter } from "@auth/drizzle-adapter"
import { type Database, KyselyAdapter } from "@auth/kysely-adapter"
import PostgresAdapter from "@auth/pg-adapter"
import { PrismaAdapter } from "@auth/prisma-adapter"
import { UnstorageAdapter } from "@auth/unstorage-adapter"
import type { BetterSQLite3Database } from "drizzle-orm/better-sqlite3"
import type { MySql2Database } from "drizzle-orm/mysql2"
import type { NodePgDatabase } from "drizzle-orm/node-postgres"
import { type Dialect, Kysely } from "kysely"
import { type AuthConfig, authMiddleware } from "latchkey"
import type { Adapter, AdapterUser, BuiltInAdapter } from "latchkey/adapters"
import { MemoryAdapter } from "latchkey/adapters/memory"
import { RedisAdapter, type RedisClient } from "latchkey/adapters/redis"
import { SqlAdapter } from "latchkey/adapters/sql"
import { testAdapter } from "latchkey/adapters/testing"
import type { Pool } from "pg"
import type { Storage } from "unstorage"

// What an application has; nothing here runs.
declare const pool: Pool
declare const dialect: Dialect
declare const storage: Storage
declare const redis: RedisClient
// A client's type is there once `prisma generate` has run.
declare const prisma: Parameters<typeof PrismaAdapter>[0]
declare const drizzles: {
  pg: NodePgDatabase
  mysql: MySql2Database
  sqlite: BetterSQLite3Database
}

/** Each as its documentation makes it, one by one: in a list they would widen to one type. */
export const pg: AuthConfig["adapter"] = PostgresAdapter(pool)
export const kysely: AuthConfig["adapter"] = KyselyAdapter(new Kysely<Database>({ dialect }))
export const drizzlePg: AuthConfig["adapter"] = DrizzleAdapter(drizzles.pg)
export const drizzleMysql: AuthConfig["adapter"] = DrizzleAdapter(drizzles.mysql)
export const drizzleSqlite: AuthConfig["adapter"] = DrizzleAdapter(drizzles.sqlite)
export const prismaPg: AuthConfig["adapter"] = PrismaAdapter(prisma)
export const unstorage: AuthConfig["adapter"] = UnstorageAdapter(storage, { baseKeyPrefix: "app:" })

authMiddleware({ providers: [], adapter: PostgresAdapter(pool), session: { strategy: "database" } })

testAdapter(test, { create: () => ({ adapter: PostgresAdapter(pool) }), exclude: ["string-ids"] })

/** An application that goes back. */
export const back: AuthjsConfig[] = [
  { providers: [], adapter: MemoryAdapter() },
  { providers: [], adapter: SqlAdapter({ sqlite: "auth.db" }) },
  { providers: [], adapter: RedisAdapter(redis) },
]
export const owns: BuiltInAdapter[] = [MemoryAdapter(), SqlAdapter({ sqlite: "auth.db" }), RedisAdapter(redis)]

/** An adapter as applications write it. */
export class OwnStore implements Adapter {
  readonly #users = new Map<string, AdapterUser>()

  createUser(user: AdapterUser): AdapterUser {
    this.#users.set(user.id, user)
    return user
  }
  async getUser(id: string): Promise<AdapterUser | null> {
    return this.#users.get(id) ?? null
  }
}
export const own: AuthConfig = { providers: [], adapter: new OwnStore() }

export const wrong: AuthConfig = {
  providers: [],
  // @ts-expect-error a user has an id
  adapter: { getUser: async () => ({ name: "Ada" }) },
}

/** Within a transaction every method is there, as docs/databases.md writes it. */
export const together = (adapter: BuiltInAdapter): Promise<AdapterUser> =>
  adapter.transaction(async (within) => {
    const user = await within.createUser({ id: "1", email: "ada@example.com", emailVerified: null })
    await within.linkAccount({ userId: user.id, provider: "github", providerAccountId: "1", type: "oauth" })
    return user
  })
