/**
 * Imports a module, and reports which files were loaded as modules and which views were read.
 *
 *   node import-record.mjs <path> [require]
 *
 * @module
 */
import fs from "node:fs"
import { createRequire, register, syncBuiltinESMExports } from "node:module"
import { fileURLToPath, pathToFileURL } from "node:url"
import { MessageChannel, receiveMessageOnPort } from "node:worker_threads"

const [path, how] = process.argv.slice(2)
const require = createRequire(import.meta.url)
const views = new Set()
for (const name of ["readFileSync", "readFile", "openSync", "open"]) {
  const original = fs[name]
  fs[name] = (file, ...rest) => {
    if (String(file).endsWith(".ejs")) views.add(String(file))
    return original(file, ...rest)
  }
}
syncBuiltinESMExports()

const { port1, port2 } = new MessageChannel()
const hooks = `
  let port
  export const initialize = (data) => { port = data.port }
  export async function load(url, context, next) {
    if (url.startsWith("file:")) port.postMessage(url)
    return next(url, context)
  }`
register(`data:text/javascript,${encodeURIComponent(hooks)}`, { data: { port: port2 }, transferList: [port2] })

if (how === "require") require(path)
else await import(pathToFileURL(path).href)

const modules = new Set(Object.keys(require.cache))
for (let seen = receiveMessageOnPort(port1); seen; seen = receiveMessageOnPort(port1))
  modules.add(fileURLToPath(seen.message))
process.stdout.write(JSON.stringify({ modules: [...modules], views: [...views] }))
process.exit()
