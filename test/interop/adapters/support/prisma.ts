/**
 * `@auth/prisma-adapter` on PostgreSQL, in a schema of its own with the tables of its documentation.
 *
 * The client is what `prisma generate` wrote; it needs no engine beside it, and the tests no command of Prisma's.
 *
 * @module
 */
import { PrismaPg } from "@prisma/adapter-pg"
import { load } from "./load.js"
import { openSchema, url } from "./postgres.js"
import { getPrismaClientClass } from "./prisma-client.js"
import type { Published } from "./published.js"

const TABLES = `
  CREATE TABLE "User" (
    id text PRIMARY KEY, name text, email text NOT NULL UNIQUE, "emailVerified" timestamp(3), image text,
    "createdAt" timestamp(3) NOT NULL DEFAULT CURRENT_TIMESTAMP, "updatedAt" timestamp(3) NOT NULL
  );
  CREATE TABLE "Account" (
    "userId" text NOT NULL REFERENCES "User" (id) ON DELETE CASCADE ON UPDATE CASCADE, type text NOT NULL,
    provider text NOT NULL, "providerAccountId" text NOT NULL, refresh_token text, access_token text,
    expires_at integer, token_type text, scope text, id_token text, session_state text,
    "createdAt" timestamp(3) NOT NULL DEFAULT CURRENT_TIMESTAMP, "updatedAt" timestamp(3) NOT NULL,
    PRIMARY KEY (provider, "providerAccountId")
  );
  CREATE TABLE "Session" (
    "sessionToken" text NOT NULL UNIQUE,
    "userId" text NOT NULL REFERENCES "User" (id) ON DELETE CASCADE ON UPDATE CASCADE, expires timestamp(3) NOT NULL,
    "createdAt" timestamp(3) NOT NULL DEFAULT CURRENT_TIMESTAMP, "updatedAt" timestamp(3) NOT NULL
  );
  CREATE TABLE "VerificationToken" (
    identifier text NOT NULL, token text NOT NULL, expires timestamp(3) NOT NULL, PRIMARY KEY (identifier, token)
  );
  CREATE TABLE "Authenticator" (
    "credentialID" text NOT NULL UNIQUE,
    "userId" text NOT NULL REFERENCES "User" (id) ON DELETE CASCADE ON UPDATE CASCADE,
    "providerAccountId" text NOT NULL, "credentialPublicKey" text NOT NULL, counter integer NOT NULL,
    "credentialDeviceType" text NOT NULL, "credentialBackedUp" boolean NOT NULL, transports text,
    PRIMARY KEY ("userId", "credentialID")
  )`

export const prismaPostgres: Published = {
  name: "@auth/prisma-adapter on PostgreSQL",
  url,
  isAtomic: true,
  isUnique: true,
  without: [
    "unverified-changes",
    "users-without-email",
    "exact-records",
    "session-result",
    "quiet-deletes",
    "wide-numbers",
    "counters",
    "hashed-sessions",
    "unknown-members",
  ],
  async open() {
    const Client = getPrismaClientClass()
    let disconnect = async () => {}
    const opened = await openSchema(
      { users: '"User"', accounts: '"Account"', sessions: '"Session"', links: '"VerificationToken"' },
      async (pool, schema) => {
        await pool.query(TABLES)
        const prisma = new Client({ adapter: new PrismaPg({ connectionString: url }, { schema }) })
        disconnect = () => prisma.$disconnect()
        return load("prisma-adapter").PrismaAdapter(prisma)
      },
    )
    return {
      ...opened,
      async close() {
        await disconnect()
        await opened.close()
      },
    }
  },
}
