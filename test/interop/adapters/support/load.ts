import { join } from "node:path"

interface Packages {
  "kysely-adapter": typeof import("@auth/kysely-adapter")
  "pg-adapter": typeof import("@auth/pg-adapter")
  "prisma-adapter": typeof import("@auth/prisma-adapter")
  "unstorage-adapter": typeof import("@auth/unstorage-adapter")
}

const FOLDER = join(__dirname, "../../../../node_modules/@auth")

/** A published adapter by its file: its `exports` have it for `import` alone, and Jest requires. */
export const load = <Name extends keyof Packages>(name: Name): Packages[Name] =>
  // The module of that name.
  require(join(FOLDER, name, "index.js")) as Packages[Name]
