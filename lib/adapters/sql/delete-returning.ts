import type { DeleteResult } from "kysely"
import type { SqlConnection } from "./tables.js"

interface DeleteReturning<Row> {
  readonly read: () => Promise<Row | undefined>
  readonly remove: {
    executeTakeFirst(): Promise<DeleteResult>
    returningAll(): { executeTakeFirst(): Promise<Row | undefined> }
  }
}

/** Deletes a row and returns it; undefined if there is none. Only one of several concurrent calls returns the row. */
export async function deleteReturning<Row>(
  { read, remove }: DeleteReturning<Row>,
  { dialect }: SqlConnection,
): Promise<Row | undefined> {
  if (dialect !== "mysql") return remove.returningAll().executeTakeFirst()
  // MySQL has no DELETE … RETURNING. So the row is read first, and returned only if this call has deleted it.
  const row = await read()
  const { numDeletedRows } = await remove.executeTakeFirst()
  return numDeletedRows > 0n ? row : undefined
}
