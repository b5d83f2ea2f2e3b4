import type { DeleteResult } from "kysely"
import type { Store } from "./store.js"

interface Taking<Row> {
  readonly read: () => Promise<Row | undefined>
  readonly remove: {
    executeTakeFirst(): Promise<DeleteResult>
    returningAll(): { executeTakeFirst(): Promise<Row | undefined> }
  }
}

/** Gives a row and deletes it. Of all who try at once, one gets it. */
export async function takeRow<Row>({ read, remove }: Taking<Row>, { dialect }: Store): Promise<Row | undefined> {
  if (dialect !== "mysql") return remove.returningAll().executeTakeFirst()
  // MariaDB could give back what it deletes, MySQL can't: on both, who deleted it is who got it.
  const row = await read()
  const { numDeletedRows } = await remove.executeTakeFirst()
  return numDeletedRows > 0n ? row : undefined
}
