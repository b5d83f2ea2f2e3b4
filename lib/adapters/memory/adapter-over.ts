import type { Adapter, OwnAdapter } from "../adapter.js"
import { ADAPTER_METHODS } from "../bind.js"
import { copyOf } from "./copy.js"
import type { MemoryRows, RowMethods } from "./rows.js"
import { Turns } from "./turns.js"

type Gate = (work: () => unknown) => Promise<unknown>

/** The rows' methods behind a gate, with copies in and out: nobody changes a row from outside. */
function gated(rows: RowMethods, gate: Gate): Omit<Required<Adapter>, "transaction"> {
  const methods = ADAPTER_METHODS.map((name) => {
    // Each method has the type of the one that it calls; this one does not care which.
    const method = rows[name as keyof RowMethods] as (...args: unknown[]) => unknown
    const call = (...args: unknown[]) => {
      const copies = copyOf(args)
      return gate(() => copyOf(method.apply(rows, copies)))
    }
    return [name, call] as const
  })
  return Object.fromEntries(methods) as unknown as Omit<Required<Adapter>, "transaction">
}

/** What a transaction's work gets: it calls without waiting, for as long as the transaction runs. */
function innerAdapter(rows: MemoryRows, isOver: () => boolean): Adapter {
  const gate: Gate = async (work) => {
    if (isOver()) throw new Error("this transaction is over: await what is called in it")
    return work()
  }
  return { ...gated(rows, gate), transaction: (work) => undoable(rows, () => work(innerAdapter(rows, isOver))) }
}

/** Does the work, and puts everything back as it was when it fails. */
async function undoable<T>(rows: MemoryRows, work: () => Promise<T>): Promise<T> {
  const saved = rows.save()
  try {
    return await work()
  } catch (error) {
    rows.restore(saved)
    throw error
  }
}

/** An adapter over rows in memory, whose transactions come one after the other. */
export function adapterOver(rows: MemoryRows): OwnAdapter {
  const turns = new Turns()
  return {
    ...gated(rows, (work) => turns.between(work)),
    transaction: (work) => turns.alone((isOver) => undoable(rows, () => work(innerAdapter(rows, isOver)))),
    migrate: async () => undefined,
    sweep: () => turns.between(() => rows.sweep()),
    close: async () => undefined,
  }
}
