import { execFile } from "node:child_process"
import { readdirSync } from "node:fs"
import { join, resolve } from "node:path"
import { promisify } from "node:util"

const FUZZ = resolve(__dirname, "../../fuzz")
const GENERATED = Number(process.env["FUZZ_INPUTS"] ?? 200)
/** The seed is fixed, so that a new failure is caused by a change of the code. The nightly run uses another seed. */
const SEED = process.env["FUZZ_SEED"] ?? "1"

const namesIn = (folder: string) => readdirSync(join(FUZZ, folder)).sort()
const targets = namesIn("targets").map((file) => file.replace(/\.mjs$/, ""))

/** Runs the built package in its own Node.js process. It exits with an error that names the input that failed. */
async function replay(target: string): Promise<{ corpus: number; made: number }> {
  const { stdout } = await promisify(execFile)(process.execPath, [
    join(FUZZ, "replay.mjs"),
    target,
    String(GENERATED),
    SEED,
  ])
  return JSON.parse(stdout)
}

it("every target has a corpus, and every corpus has a target", () => {
  expect(namesIn("corpus")).toEqual(targets)
})

it.each(targets)(
  `%s: all inputs of the corpus and ${GENERATED} generated inputs pass`,
  async (target) => {
    expect(await replay(target)).toEqual({ target, corpus: namesIn(join("corpus", target)).length, made: GENERATED })
  },
  120_000 + GENERATED * 50,
)
