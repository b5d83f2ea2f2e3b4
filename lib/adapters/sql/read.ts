/**
 * Queries with a constant statement, which is built and compiled once because compiling takes longer than running it.
 *
 * @module
 */

import type { Compilable } from "kysely"
import type { SqlConnection } from "./tables.js"

/** Builds a query. It must be the same for every connection and transaction with these tables. */
export type Build<Row> = (connection: SqlConnection) => Compilable<Row>

/** A placeholder for a string parameter. */
export const PARAM = ""

/** Runs a query with these values for the `PARAM` placeholders, in order. */
export async function readAll<Row>(
  build: Build<Row>,
  values: readonly string[],
  connection: SqlConnection,
): Promise<Row[]> {
  const compiled = connection.compiled.get(build) ?? build(connection).compile()
  connection.compiled.set(build, compiled)
  const { rows } = await connection.db.executeQuery<Row>({ ...compiled, parameters: values })
  return rows
}

/** The first row. */
export const readFirst = async <Row>(
  build: Build<Row>,
  values: readonly string[],
  connection: SqlConnection,
): Promise<Row | undefined> => (await readAll(build, values, connection))[0]
