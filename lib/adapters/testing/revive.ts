import { type Adapter, isDate } from "../adapter.js"
import { ADAPTER_METHODS } from "../bind.js"

const DATE_MEMBERS = ["emailVerified", "expires", "createdAt"]

/**
 * Converts the date strings of a record to dates, also in the result of `getSessionAndUser`. Lists are not converted,
 * because no case compares the dates of a list.
 */
function revive(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value
  const members = Object.entries(value).map(([name, member]: [string, unknown]) => {
    if (name === "session" || name === "user") return [name, revive(member)]
    return [name, DATE_MEMBERS.includes(name) && isDate(member) ? new Date(member) : member]
  })
  return Object.fromEntries(members)
}

/**
 * Returns an adapter that converts the date strings in results to dates. Used if the guarantee `date-objects` is
 * excluded, because the database of the adapter has no date type.
 */
export function revivingDates(adapter: Adapter): Adapter {
  const methods = ADAPTER_METHODS.flatMap((name) => {
    const method: unknown = adapter[name]
    if (typeof method !== "function") return []
    return [[name, async (...args: unknown[]): Promise<unknown> => revive(await method.apply(adapter, args))] as const]
  })
  // Each method has the type of the method that it calls.
  const revived = Object.fromEntries(methods) as Adapter
  if (!hasTransaction(adapter)) return revived
  return { ...revived, transaction: (work) => adapter.transaction((tx) => work(revivingDates(tx))) }
}

const hasTransaction = (adapter: Adapter): adapter is Adapter & Required<Pick<Adapter, "transaction">> =>
  typeof adapter.transaction === "function"
