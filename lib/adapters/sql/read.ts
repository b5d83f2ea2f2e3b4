/**
 * Runs queries whose SQL never changes. Each query is compiled once, because compiling takes longer than running it.
 *
 * @module
 */

import type { Compilable } from "kysely"
import type { SqlConnection } from "./tables.js"

/**
 * Builds a query. The SQL must be the same for every connection of an adapter, because this function is the cache key
 * of the compiled query.
 */
export type BuildQuery<Row> = (connection: SqlConnection) => Compilable<Row>

/** Marks the place of a string parameter in a query. `readAll` sets the value. */
export const PARAM = ""

/** Runs a query and returns its rows. `values` replace the `PARAM` placeholders in order. */
export async function readAll<Row>(
  build: BuildQuery<Row>,
  values: readonly string[],
  connection: SqlConnection,
): Promise<Row[]> {
  const compiled = connection.compiled.get(build) ?? build(connection).compile()
  connection.compiled.set(build, compiled)
  const { rows } = await connection.db.executeQuery<Row>({ ...compiled, parameters: values })
  return rows
}

/** Runs a query and returns the first row; undefined if there is none. */
export const readFirst = async <Row>(
  build: BuildQuery<Row>,
  values: readonly string[],
  connection: SqlConnection,
): Promise<Row | undefined> => (await readAll(build, values, connection))[0]
