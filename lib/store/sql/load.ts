import { createRequire } from "node:module"

/**
 * Loads an optional peer dependency.
 *
 * @throws Error with the install command, when the package is missing
 */
export function loadPeer(name: string, install = name): unknown {
  try {
    return createRequire(import.meta.url)(name)
  } catch (error) {
    // An installed package that fails to load, for example because it was built for another Node.js, throws its own
    // error.
    if (Reflect.get(Object(error), "code") !== "MODULE_NOT_FOUND" || !String(error).includes(`'${name}'`)) throw error
    throw new Error(`SqlAdapter needs ${name}: npm install ${install}`, { cause: error })
  }
}
