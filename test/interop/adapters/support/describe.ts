import { reachable } from "../../../support/stores/reachable.js"
import { classBased, isoStrings } from "./own.js"
import { drizzlePostgres, kyselyPostgres, pgAdapter } from "./postgres.js"
import { prismaPostgres } from "./prisma.js"
import type { OpenAdapter, Published } from "./published.js"
import { drizzleSqlite, kyselySqlite } from "./sqlite.js"
import { unstorageFiles, unstorageMemory, unstorageRedis } from "./unstorage.js"

/** Adapters from the npm registry. */
export const PUBLISHED: readonly Published[] = [
  ...[pgAdapter, kyselyPostgres, kyselySqlite, drizzlePostgres, drizzleSqlite, prismaPostgres],
  ...[unstorageMemory, unstorageFiles, unstorageRedis],
]

/** The published adapters, and adapters like those that applications write. */
const ALL: readonly Published[] = [...PUBLISHED, classBased, isoStrings]

const findProblem = ({ url, missing }: Published): string | undefined =>
  missing ?? (url && !reachable(url) ? `nothing listens at ${url}` : undefined)

/**
 * Describes tests once for each adapter, each with its own store, which is dropped at the end. If a store is unavailable,
 * its tests are skipped with a warning, or fail in CI.
 */
export function describePublished(
  name: string,
  tests: (published: Published, opened: () => OpenAdapter) => void,
  adapters = ALL,
): void {
  for (const published of adapters) {
    const fault = findProblem(published)
    const title = `${name}, ${published.name}`
    if (fault && process.env["CI"])
      it(title, () => {
        throw new Error(fault)
      })
    else if (fault) console.warn(`SKIPPED: ${title}: ${fault}`)
    describeOpen(fault ? describe.skip : describe, title, { published, tests })
  }
}

interface Case {
  readonly published: Published
  readonly tests: (published: Published, opened: () => OpenAdapter) => void
}

function describeOpen(describeIt: typeof describe.skip, title: string, { published, tests }: Case): void {
  describeIt(title, () => {
    let open: OpenAdapter | undefined
    beforeAll(async () => {
      open = await published.open()
    })
    afterAll(() => open?.close())
    tests(published, () => {
      if (!open) throw new Error("the store is not open before the first test")
      return open
    })
  })
}
