/**
 * Runs a target with its corpus and, if a number is given, with that many generated inputs.
 *
 *   node fuzz/replay.mjs id-token               the corpus
 *   node fuzz/replay.mjs id-token 500           and 500 inputs that are generated from it
 *   node fuzz/replay.mjs id-token 500 7         from another seed
 *   node fuzz/replay.mjs id-token some/file     one input that the fuzzer has written
 *
 * @module
 */
import { existsSync, readFileSync } from "node:fs"
import { corpusOf } from "./lib/corpus.mjs"
import { mutations } from "./lib/mutate.mjs"

const [target = "", what = "0", seed = "1"] = process.argv.slice(2)
const { fuzz } = await import(new URL(`./targets/${target}.mjs`, import.meta.url).href)

async function give(name, bytes) {
  try {
    // Otherwise no code after the sign-in would be tested.
    if (!(await fuzz(bytes)) && name === "right") throw new Error("the valid input does not sign in")
  } catch (error) {
    console.error(`${target}, ${name}, in base64: ${bytes.toString("base64")}`)
    throw error
  }
}

const corpus = existsSync(what) ? [[what, readFileSync(what)]] : corpusOf(target)
for (const [name, bytes] of corpus) await give(name, bytes)

const count = Number(what) || 0
const next = mutations(
  corpus.map(([, bytes]) => bytes),
  Number(seed),
)
for (let i = 0; i < count; i++) await give(`input ${i} of seed ${seed}`, next())
console.log(JSON.stringify({ target, corpus: corpus.length, made: count }))
