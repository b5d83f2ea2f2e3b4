/**
 * Imports Express and then a module, optionally with `require`, and reports how long each took.
 *
 *   node import-time.mjs <path> [require]
 *
 * @module
 */
import { createRequire } from "node:module"
import { pathToFileURL } from "node:url"

const [path, how] = process.argv.slice(2)
const require = createRequire(import.meta.url)
const load = how === "require" ? async (name) => require(name) : (name) => import(name)

async function millisecondsOf(name) {
  const startedAt = performance.now()
  await load(name)
  return performance.now() - startedAt
}

const express = await millisecondsOf("express")
const own = path ? await millisecondsOf(how === "require" ? path : pathToFileURL(path).href) : 0
process.stdout.write(JSON.stringify({ express, own }))
