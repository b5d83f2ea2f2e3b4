import { execFile } from "node:child_process"
import { readdirSync } from "node:fs"
import { join, resolve } from "node:path"
import { promisify } from "node:util"

const FUZZ = resolve(__dirname, "../../fuzz")
/** At every change the same ones, so that a failure is the change's; each night others. */
const MADE = Number(process.env["FUZZ_INPUTS"] ?? 200)
const SEED = process.env["FUZZ_SEED"] ?? "1"

const namesIn = (folder: string) => readdirSync(join(FUZZ, folder)).sort()
const targets = namesIn("targets").map((file) => file.replace(/\.mjs$/, ""))

/** In a process of its own: the built package, in Node itself. Ends badly where an input does harm, and says which. */
async function replay(target: string): Promise<{ corpus: number; made: number }> {
  const { stdout } = await promisify(execFile)(process.execPath, [join(FUZZ, "replay.mjs"), target, String(MADE), SEED])
  return JSON.parse(stdout)
}

it("every target has a corpus, and every corpus a target", () => {
  expect(namesIn("corpus")).toEqual(targets)
})

it.each(targets)(
  `%s: no input of the corpus, and none of ${MADE} made of it, does harm`,
  async (target) => {
    expect(await replay(target)).toEqual({ target, corpus: namesIn(join("corpus", target)).length, made: MADE })
  },
  120_000 + MADE * 50,
)
