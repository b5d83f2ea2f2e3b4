import { createRequire } from "node:module"

/**
 * Loads an optional peer dependency.
 *
 * @param packages the packages in the install command of the error
 *
 * @throws Error with the install command, if the package is missing
 */
export function loadPeer(name: string, packages = name): unknown {
  try {
    return createRequire(import.meta.url)(name)
  } catch (error) {
    // If the package is installed but fails to load, for example because it was built for another version of Node.js,
    // its own error is thrown.
    if (Reflect.get(Object(error), "code") !== "MODULE_NOT_FOUND" || !String(error).includes(`'${name}'`)) throw error
    throw new Error(`the package ${name} is not installed: npm install ${packages}`, { cause: error })
  }
}
