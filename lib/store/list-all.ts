import { DEFAULT_LIMIT, type Store, type StoreRecord } from "./store.js"

/** Returns all records of an owner, ordered by key. `store.list` returns one page of them. */
export async function* listAll(store: Store, kind: string, owner: string): AsyncGenerator<StoreRecord> {
  let after: string | undefined
  do {
    const page = await store.list(kind, owner, { limit: DEFAULT_LIMIT, after })
    yield* page
    after = page.length < DEFAULT_LIMIT ? undefined : page.at(-1)?.key
  } while (after !== undefined)
}
