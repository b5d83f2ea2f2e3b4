import type { CompiledQuery, Kysely } from "kysely"
import type { Connection } from "../../store/sql/connection.js"
import type { Names, Tables } from "./tables.js"

/** A connection to the database with the adapter's tables. */
export interface SqlConnection extends Connection<Kysely<Tables>> {
  readonly names: Names
  /** Compiled queries by their builder function, shared by the database and its transactions. */
  readonly compiled: Map<unknown, CompiledQuery>
}
