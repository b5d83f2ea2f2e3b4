import { writeFileSync } from "node:fs"

const CASE = /\b(?:ADV|OID|SES|RED|EML|CRD|ACC|WAN|FLT|SEC)-\d\d\b/g

/** Writes the results of the tests with case ids to the file `CASES_REPORT`, for `scripts/cases.mjs`. */
export default class CasesReporter {
  #tests = []

  onTestResult(_test, { testResults }) {
    for (const { fullName, status } of testResults) {
      const ids = [...new Set(fullName.match(CASE))]
      if (ids.length > 0 && status !== "pending") this.#tests.push({ ids, name: fullName, passed: status === "passed" })
    }
  }

  onRunComplete() {
    const file = process.env.CASES_REPORT
    if (file) writeFileSync(file, JSON.stringify(this.#tests))
  }
}
