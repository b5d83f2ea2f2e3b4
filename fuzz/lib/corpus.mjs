/**
 * The corpus: inputs that are written by hand, found by the fuzzer, or that once caused a failure.
 *
 * @module
 */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const folder = (name) => fileURLToPath(new URL(`../${name}/`, import.meta.url))

export const FUZZ = folder(".")
export const CORPUS = folder("corpus")

export const TARGETS = readdirSync(folder("targets"))
  .filter((file) => file.endsWith(".mjs"))
  .map((file) => file.replace(/\.mjs$/, ""))

/** The inputs of a target, by name. */
export function corpusOf(target) {
  const own = join(CORPUS, target)
  const names = existsSync(own) ? readdirSync(own).sort() : []
  return names.map((name) => [name, readFileSync(join(own, name))])
}

/** The texts of libFuzzer's dictionary, such as keywords of parsers and of attacks. */
export const WORDS = readFileSync(join(FUZZ, "dictionary.txt"), "utf8")
  .split("\n")
  .flatMap((line) => /^"(.*)"$/.exec(line)?.[1] ?? [])
  .map((text) =>
    Buffer.from(
      text.replaceAll(/\\x([0-9a-f]{2})|\\(.)/g, (_, hex, char) =>
        hex ? String.fromCharCode(Number.parseInt(hex, 16)) : char,
      ),
      "latin1",
    ),
  )
