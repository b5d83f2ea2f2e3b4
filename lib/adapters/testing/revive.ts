import { type Adapter, isDate } from "../adapter.js"
import { ADAPTER_METHODS } from "../bind.js"

const DATES = ["emailVerified", "expires", "createdAt"]

/** Converts a record's date strings to dates, including a session and its user. */
function revive(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value
  const members = Object.entries(value).map(([name, member]: [string, unknown]) => {
    if (name === "session" || name === "user") return [name, revive(member)]
    return [name, DATES.includes(name) && isDate(member) ? new Date(member) : member]
  })
  return Object.fromEntries(members)
}

/** The adapter with date strings converted to dates, for a store without a date type, if that guarantee is disabled. */
export function revivingDates(adapter: Adapter): Adapter {
  const methods = ADAPTER_METHODS.flatMap((name) => {
    const method: unknown = adapter[name]
    if (typeof method !== "function") return []
    return [[name, async (...args: unknown[]): Promise<unknown> => revive(await method.apply(adapter, args))] as const]
  })
  // Each method has the type of the method that it calls.
  const revived = Object.fromEntries(methods) as Adapter
  if (!hasTransaction(adapter)) return revived
  return { ...revived, transaction: (work) => adapter.transaction((within) => work(revivingDates(within))) }
}

const hasTransaction = (adapter: Adapter): adapter is Adapter & Required<Pick<Adapter, "transaction">> =>
  typeof adapter.transaction === "function"
