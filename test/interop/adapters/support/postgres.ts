/**
 * Published adapters on PostgreSQL, each in its own schema with the tables that its documentation describes.
 *
 * @module
 */
import { DrizzleAdapter } from "@auth/drizzle-adapter"
import type { Database } from "@auth/kysely-adapter"
import { drizzle } from "drizzle-orm/node-postgres"
import { Kysely, PostgresDialect, sql } from "kysely"
import pg from "pg"
import type { Adapter } from "../../../../lib/adapters/adapter.js"
import { uniqueName } from "../../../support/stores/store.js"
import { createTables } from "./kysely-tables.js"
import { load } from "./load.js"
import type { OpenAdapter, Published, Row } from "./published.js"

/** The URL of the PostgreSQL server. */
export const url = process.env["TEST_POSTGRES_URL"] ?? "postgres://postgres@127.0.0.1:5432/test"

interface Names {
  readonly users: string
  readonly accounts: string
  readonly sessions: string
  readonly links: string
}

/** Creates a schema and an adapter that uses it. `close` drops the schema and closes the connections. */
export async function openSchema(
  names: Names,
  createAdapter: (pool: pg.Pool, schema: string) => Promise<Adapter>,
): Promise<OpenAdapter> {
  const schema = uniqueName()
  const pool = new pg.Pool({ connectionString: url, options: `-c search_path=${schema}`, max: 8 })
  await pool.query(`CREATE SCHEMA ${schema}`)
  const read = async (table: string): Promise<Row[]> => (await pool.query(`SELECT * FROM ${table}`)).rows
  return {
    adapter: await createAdapter(pool, schema),
    kept: async () => ({
      users: await read(names.users),
      accounts: await read(names.accounts),
      sessions: await read(names.sessions),
      links: await read(names.links),
    }),
    async addUniqueKeys() {
      await pool.query(`
        CREATE UNIQUE INDEX IF NOT EXISTS users_email_key ON ${names.users} (email);
        CREATE UNIQUE INDEX IF NOT EXISTS accounts_provider_key ON ${names.accounts} (provider, "providerAccountId")`)
    },
    async close() {
      await pool.query(`DROP SCHEMA ${schema} CASCADE`)
      await pool.end()
    },
  }
}

/** The tables that the documentation of `@auth/pg-adapter` describes: numeric ids, no unique keys and no references. */
const PG_TABLES = `
  CREATE TABLE verification_token (
    identifier TEXT NOT NULL, expires TIMESTAMPTZ NOT NULL, token TEXT NOT NULL, PRIMARY KEY (identifier, token)
  );
  CREATE TABLE accounts (
    id SERIAL, "userId" INTEGER NOT NULL, type VARCHAR(255) NOT NULL, provider VARCHAR(255) NOT NULL,
    "providerAccountId" VARCHAR(255) NOT NULL, refresh_token TEXT, access_token TEXT, expires_at BIGINT,
    id_token TEXT, scope TEXT, session_state TEXT, token_type TEXT, PRIMARY KEY (id)
  );
  CREATE TABLE sessions (
    id SERIAL, "userId" INTEGER NOT NULL, expires TIMESTAMPTZ NOT NULL, "sessionToken" VARCHAR(255) NOT NULL,
    PRIMARY KEY (id)
  );
  CREATE TABLE users (
    id SERIAL, name VARCHAR(255), email VARCHAR(255), "emailVerified" TIMESTAMPTZ, image TEXT, PRIMARY KEY (id)
  )`

export const pgAdapter: Published = {
  name: "@auth/pg-adapter on PostgreSQL",
  url,
  isAtomic: true,
  isUnique: true,
  without: [
    "unverified-changes",
    "string-ids",
    "partial-updates",
    "unique-email",
    "unique-account",
    "references",
    "session-result",
    "quiet-deletes",
    "hashed-sessions",
  ],
  open: () =>
    openSchema(
      { users: "users", accounts: "accounts", sessions: "sessions", links: "verification_token" },
      async (pool) => {
        await pool.query(PG_TABLES)
        return load("pg-adapter").default(pool)
      },
    ),
}

export const kyselyPostgres: Published = {
  name: "@auth/kysely-adapter on PostgreSQL",
  url,
  isAtomic: true,
  isUnique: true,
  without: [
    "unverified-changes",
    "any-id",
    "users-without-email",
    "unique-account",
    "session-result",
    "hashed-sessions",
    "unknown-members",
  ],
  open: () =>
    openSchema(
      { users: '"User"', accounts: '"Account"', sessions: '"Session"', links: '"VerificationToken"' },
      async (pool) => {
        const db = new Kysely<Database>({ dialect: new PostgresDialect({ pool }) })
        await createTables(db, { id: "uuid", newId: sql`gen_random_uuid()`, date: "timestamptz" })
        return load("kysely-adapter").KyselyAdapter(db)
      },
    ),
}

/** The default tables of `@auth/drizzle-adapter`, as its documentation describes them. */
const DRIZZLE_TABLES = `
  CREATE TABLE "user" (id text PRIMARY KEY, name text, email text UNIQUE, "emailVerified" timestamp, image text);
  CREATE TABLE account (
    "userId" text NOT NULL REFERENCES "user" (id) ON DELETE CASCADE, type text NOT NULL, provider text NOT NULL,
    "providerAccountId" text NOT NULL, refresh_token text, access_token text, expires_at integer, token_type text,
    scope text, id_token text, session_state text, PRIMARY KEY (provider, "providerAccountId")
  );
  CREATE TABLE session (
    "sessionToken" text PRIMARY KEY, "userId" text NOT NULL REFERENCES "user" (id) ON DELETE CASCADE,
    expires timestamp NOT NULL
  );
  CREATE TABLE "verificationToken" (
    identifier text NOT NULL, token text NOT NULL, expires timestamp NOT NULL, PRIMARY KEY (identifier, token)
  );
  CREATE TABLE authenticator (
    "credentialID" text NOT NULL UNIQUE, "userId" text NOT NULL REFERENCES "user" (id) ON DELETE CASCADE,
    "providerAccountId" text NOT NULL, "credentialPublicKey" text NOT NULL, counter integer NOT NULL,
    "credentialDeviceType" text NOT NULL, "credentialBackedUp" boolean NOT NULL, transports text,
    PRIMARY KEY ("userId", "credentialID")
  )`

export const drizzlePostgres: Published = {
  name: "@auth/drizzle-adapter on PostgreSQL",
  url,
  isAtomic: true,
  isUnique: true,
  without: ["unverified-changes", "session-result", "exact-records", "wide-numbers", "counters", "hashed-sessions"],
  open: () =>
    openSchema(
      { users: '"user"', accounts: "account", sessions: "session", links: '"verificationToken"' },
      async (pool) => {
        await pool.query(DRIZZLE_TABLES)
        return DrizzleAdapter(drizzle(pool))
      },
    ),
}
