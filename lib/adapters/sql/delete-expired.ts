import { deleteExpiredRows } from "../../store/sql/delete-expired.js"
import type { SqlConnection } from "./connection.js"

/** Deletes expired sessions, links and records of the store, and returns their number. */
export async function deleteExpired(store: SqlConnection): Promise<number> {
  const { sessions, verificationTokens, store: records } = store.names
  const tables = [
    { name: sessions, key: ["token_hash"] },
    { name: verificationTokens, key: ["identifier", "token"] },
    { name: records, key: ["kind", "record_key"] },
  ]
  let total = 0
  for (const table of tables) total += await deleteExpiredRows(store, table)
  return total
}
