import { AdapterError, asAuthError } from "../errors.js"
import { withTimeout } from "../timeout.js"

/** A page waits for it: what takes longer is a store in trouble. */
const READ_TIMEOUT_MS = 5_000
/** After so long another read may try: a connection may be lost for good. */
const FORGET_READ_MS = 30_000

/** Reads of sessions, each done once however many ask for it at the same time. */
export interface SharedReads<Row> {
  /**
   * The row of a token.
   *
   * @throws AdapterError when the store fails or takes too long
   */
  read(token: string): Promise<Row | null>
  /** Lets no read that is under way, of one token or of all, answer whoever asks from now on. */
  forget(token?: string): void
}

/** Shares reads under way: a page's many requests, or a store that hangs, take one query. Bounded by the requests there are. */
export function createSharedReads<Row>(find: (token: string) => Promise<Row | null>): SharedReads<Row> {
  const reads = new Map<string, Promise<Row | null>>()
  /** Begins a read that others share until it is over, however long nobody waits for it any more. */
  const begin = (token: string): Promise<Row | null> => {
    const read = find(token)
    const forget = () => {
      clearTimeout(timer)
      if (reads.get(token) === read) reads.delete(token)
    }
    const timer = setTimeout(forget, FORGET_READ_MS)
    timer.unref()
    reads.set(token, read)
    read.then(forget, forget)
    return read
  }
  return {
    async read(token) {
      const underWay = reads.get(token) ?? begin(token)
      const late = `no session was read within ${READ_TIMEOUT_MS / 1000} s`
      try {
        return await withTimeout(underWay, READ_TIMEOUT_MS, late)
      } catch (error) {
        throw asAuthError(error) ?? new AdapterError(late, { method: "getSessionAndUser" })
      }
    },
    forget(token) {
      if (token === undefined) reads.clear()
      else reads.delete(token)
    },
  }
}
