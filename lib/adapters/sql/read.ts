/**
 * Queries with a constant statement, which is built and compiled once because compiling takes longer than running it.
 *
 * @module
 */

import type { Compilable } from "kysely"
import type { SqlConnection } from "./tables.js"

/** Builds a query. It must be the same for every connection and transaction with these tables. */
export type Build<Row> = (store: SqlConnection) => Compilable<Row>

/** A placeholder for a string parameter. */
export const PARAM = ""

/** Runs a query with these values for the `PARAM` placeholders, in order. */
export async function readAll<Row>(build: Build<Row>, values: readonly string[], store: SqlConnection): Promise<Row[]> {
  const compiled = store.compiled.get(build) ?? build(store).compile()
  store.compiled.set(build, compiled)
  const { rows } = await store.db.executeQuery<Row>({ ...compiled, parameters: values })
  return rows
}

/** The first row. */
export const readFirst = async <Row>(
  build: Build<Row>,
  values: readonly string[],
  store: SqlConnection,
): Promise<Row | undefined> => (await readAll(build, values, store))[0]
