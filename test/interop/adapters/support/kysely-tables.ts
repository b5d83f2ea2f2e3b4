import type { Database } from "@auth/kysely-adapter"
import type { Kysely, RawBuilder } from "kysely"

interface Columns {
  /** The type of ids, and the expression that creates one. */
  readonly id: "uuid" | "text"
  readonly newId: RawBuilder<unknown>
  readonly date: "timestamptz" | "text"
}

/** Creates the tables that the documentation of `@auth/kysely-adapter` describes. Accounts have no unique key. */
export async function createTables(db: Kysely<Database>, { id, newId, date }: Columns): Promise<void> {
  const table = (name: string) =>
    db.schema.createTable(name).addColumn("id", id, (column) => column.primaryKey().defaultTo(newId))
  const owned = (name: string) =>
    table(name).addColumn("userId", id, (column) => column.references("User.id").onDelete("cascade").notNull())
  await table("User")
    .addColumn("name", "text")
    .addColumn("email", "text", (column) => column.unique().notNull())
    .addColumn("emailVerified", date)
    .addColumn("image", "text")
    .execute()
  await owned("Account")
    .addColumn("type", "text", (column) => column.notNull())
    .addColumn("provider", "text", (column) => column.notNull())
    .addColumn("providerAccountId", "text", (column) => column.notNull())
    .addColumn("refresh_token", "text")
    .addColumn("access_token", "text")
    .addColumn("expires_at", "bigint")
    .addColumn("token_type", "text")
    .addColumn("scope", "text")
    .addColumn("id_token", "text")
    .addColumn("session_state", "text")
    .execute()
  await owned("Session")
    .addColumn("sessionToken", "text", (column) => column.notNull().unique())
    .addColumn("expires", date, (column) => column.notNull())
    .execute()
  await db.schema
    .createTable("VerificationToken")
    .addColumn("identifier", "text", (column) => column.notNull())
    .addColumn("token", "text", (column) => column.notNull().unique())
    .addColumn("expires", date, (column) => column.notNull())
    .execute()
}
