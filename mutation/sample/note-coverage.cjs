const { createHash } = require("node:crypto")
const { writeFileSync } = require("node:fs")

const started = performance.now()

afterAll(() => {
  const { testPath } = expect.getState()
  // Stryker's variable; without a current test it records all coverage under "static".
  const { mutantCoverage } = globalThis.__stryker__ ?? {}
  const note = {
    path: testPath,
    ms: Math.round(performance.now() - started),
    reached: Object.keys(mutantCoverage?.static ?? {}),
  }
  const name = createHash("sha256").update(testPath).digest("hex").slice(0, 16)
  writeFileSync(`${process.env.COVERAGE_FOLDER}/${name}.json`, JSON.stringify(note))
})
