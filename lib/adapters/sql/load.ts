import { createRequire } from "node:module"

/**
 * Loads a package that only those need who use this adapter.
 *
 * @throws an Error that says what to install, when it is not there
 */
export function loadPeer(name: string, install = name): unknown {
  try {
    return createRequire(import.meta.url)(name)
  } catch (error) {
    // One that is there and fails, because it was built for another Node.js for instance, speaks for itself.
    if (Reflect.get(Object(error), "code") !== "MODULE_NOT_FOUND" || !String(error).includes(`'${name}'`)) throw error
    throw new Error(`SqlAdapter needs ${name}: npm install ${install}`, { cause: error })
  }
}
