import type { DeleteResult } from "kysely"
import type { SqlConnection } from "./tables.js"

interface DeleteReturning<Row> {
  readonly read: () => Promise<Row | undefined>
  readonly remove: {
    executeTakeFirst(): Promise<DeleteResult>
    returningAll(): { executeTakeFirst(): Promise<Row | undefined> }
  }
}

/** Deletes and returns a row. Exactly one of several concurrent callers receives it. */
export async function deleteReturning<Row>(
  { read, remove }: DeleteReturning<Row>,
  { dialect }: SqlConnection,
): Promise<Row | undefined> {
  if (dialect !== "mysql") return remove.returningAll().executeTakeFirst()
  // MySQL cannot return deleted rows. On MySQL and MariaDB, the caller whose DELETE affected the row receives it.
  const row = await read()
  const { numDeletedRows } = await remove.executeTakeFirst()
  return numDeletedRows > 0n ? row : undefined
}
