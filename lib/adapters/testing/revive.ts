import { type Adapter, isDate } from "../adapter.js"
import { ADAPTER_METHODS } from "../bind.js"

/** The members of the interface's records that are dates. */
const DATES = ["emailVerified", "expires", "createdAt"]

/** The record with dates where it has text for them; of a session and its user both. */
function revive(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value
  const members = Object.entries(value).map(([name, member]: [string, unknown]) => {
    if (name === "session" || name === "user") return [name, revive(member)]
    return [name, DATES.includes(name) && isDate(member) ? new Date(member) : member]
  })
  return Object.fromEntries(members)
}

/** The adapter, with dates for what it gives as text: for a store that has none, when that is agreed. */
export function revivingDates(adapter: Adapter): Adapter {
  const methods = ADAPTER_METHODS.flatMap((name) => {
    const method: unknown = adapter[name]
    if (typeof method !== "function") return []
    return [[name, async (...args: unknown[]): Promise<unknown> => revive(await method.apply(adapter, args))] as const]
  })
  // Each method has the type of the one that it calls.
  const revived = Object.fromEntries(methods) as Adapter
  if (!hasTransaction(adapter)) return revived
  return { ...revived, transaction: (work) => adapter.transaction((within) => work(revivingDates(within))) }
}

const hasTransaction = (adapter: Adapter): adapter is Adapter & Required<Pick<Adapter, "transaction">> =>
  typeof adapter.transaction === "function"
