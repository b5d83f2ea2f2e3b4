/**
 * Reads whose statement is the same each time: built and compiled once, which takes longer than to run it.
 *
 * @module
 */
import type { Compilable } from "kysely"
import type { Store } from "./store.js"

/** Builds a query; the same for every store with these tables, in a transaction or not. */
export type Build<Row> = (store: Store) => Compilable<Row>

/** Stands in a query for text that each read gives. */
export const GIVEN = ""

/** The rows of a query, with these in place of each `GIVEN`, in their order. */
export async function readAll<Row>(build: Build<Row>, given: readonly string[], store: Store): Promise<Row[]> {
  const compiled = store.compiled.get(build) ?? build(store).compile()
  store.compiled.set(build, compiled)
  const { rows } = await store.db.executeQuery<Row>({ ...compiled, parameters: given })
  return rows
}

/** The first of them. */
export const readFirst = async <Row>(
  build: Build<Row>,
  given: readonly string[],
  store: Store,
): Promise<Row | undefined> => (await readAll(build, given, store))[0]
