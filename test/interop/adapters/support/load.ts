import { join } from "node:path"

interface Packages {
  "kysely-adapter": typeof import("@auth/kysely-adapter")
  "pg-adapter": typeof import("@auth/pg-adapter")
  "prisma-adapter": typeof import("@auth/prisma-adapter")
  "unstorage-adapter": typeof import("@auth/unstorage-adapter")
}

const FOLDER = join(__dirname, "../../../../node_modules/@auth")

/** Loads a published adapter by the path of its file, because its `exports` do not allow `require`, which Jest uses. */
export const load = <Name extends keyof Packages>(name: Name): Packages[Name] =>
  // The cast is safe, because the path contains the name.
  require(join(FOLDER, name, "index.js")) as Packages[Name]
