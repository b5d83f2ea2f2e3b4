/**
 * Published adapters on SQLite, each in its own database with the tables that its documentation describes.
 *
 * @module
 */
import { DrizzleAdapter } from "@auth/drizzle-adapter"
import type { Database } from "@auth/kysely-adapter"
import { drizzle } from "drizzle-orm/better-sqlite3"
import { Kysely, SqliteDialect, sql } from "kysely"
import type { Adapter } from "../../../../lib/adapters/adapter.js"
import { createTables } from "./kysely-tables.js"
import { load } from "./load.js"
import type { OpenAdapter, Published, Row } from "./published.js"
import { openSqlite, type Sqlite, sqliteMissing } from "./sqlite-driver.js"

interface Names {
  readonly users: string
  readonly accounts: string
  readonly sessions: string
  readonly links: string
}

async function openDatabase(names: Names, createAdapter: (db: Sqlite) => Promise<Adapter>): Promise<OpenAdapter> {
  const db = openSqlite()
  const read = (table: string) => db.prepare(`SELECT * FROM "${table}"`).all() as Row[]
  return {
    adapter: await createAdapter(db),
    kept: async () => ({
      users: read(names.users),
      accounts: read(names.accounts),
      sessions: read(names.sessions),
      links: read(names.links),
    }),
    async addUniqueKeys() {
      db.exec(`CREATE UNIQUE INDEX IF NOT EXISTS accounts_key ON "${names.accounts}" (provider, "providerAccountId")`)
    },
    close: async () => void db.close(),
  }
}

export const kyselySqlite: Published = {
  name: "@auth/kysely-adapter on SQLite",
  missing: sqliteMissing,
  isAtomic: true,
  isUnique: true,
  without: [
    "unverified-changes",
    "users-without-email",
    "unique-account",
    "session-result",
    "plain-text",
    "hashed-sessions",
    "unknown-members",
  ],
  open: () =>
    openDatabase(
      { users: "User", accounts: "Account", sessions: "Session", links: "VerificationToken" },
      async (db) => {
        const kysely = new Kysely<Database>({ dialect: new SqliteDialect({ database: db }) })
        await createTables(kysely, { id: "text", newId: sql`(lower(hex(randomblob(16))))`, date: "text" })
        return load("kysely-adapter").KyselyAdapter(kysely)
      },
    ),
}

/** The default tables of `@auth/drizzle-adapter`, as its documentation describes them. */
const DRIZZLE_TABLES = `
  CREATE TABLE "user" (id text PRIMARY KEY, name text, email text UNIQUE, "emailVerified" integer, image text);
  CREATE TABLE account (
    "userId" text NOT NULL REFERENCES "user" (id) ON DELETE CASCADE, type text NOT NULL, provider text NOT NULL,
    "providerAccountId" text NOT NULL, refresh_token text, access_token text, expires_at integer, token_type text,
    scope text, id_token text, session_state text, PRIMARY KEY (provider, "providerAccountId")
  );
  CREATE TABLE session (
    "sessionToken" text PRIMARY KEY, "userId" text NOT NULL REFERENCES "user" (id) ON DELETE CASCADE,
    expires integer NOT NULL
  );
  CREATE TABLE "verificationToken" (
    identifier text NOT NULL, token text NOT NULL, expires integer NOT NULL, PRIMARY KEY (identifier, token)
  );
  CREATE TABLE authenticator (
    "credentialID" text NOT NULL UNIQUE, "userId" text NOT NULL REFERENCES "user" (id) ON DELETE CASCADE,
    "providerAccountId" text NOT NULL, "credentialPublicKey" text NOT NULL, counter integer NOT NULL,
    "credentialDeviceType" text NOT NULL, "credentialBackedUp" integer NOT NULL, transports text,
    PRIMARY KEY ("userId", "credentialID")
  )`

export const drizzleSqlite: Published = {
  name: "@auth/drizzle-adapter on SQLite",
  missing: sqliteMissing,
  isAtomic: true,
  isUnique: true,
  without: ["unverified-changes", "exact-records", "counters", "hashed-sessions"],
  open: () =>
    openDatabase(
      { users: "user", accounts: "account", sessions: "session", links: "verificationToken" },
      async (db) => {
        db.exec(DRIZZLE_TABLES)
        return DrizzleAdapter(drizzle(db))
      },
    ),
}
