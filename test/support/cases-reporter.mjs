import { writeFileSync } from "node:fs"

const CASE = /\b(?:ADV|OID|SES|RED|EML|CRD|ACC|WAN|FLT|SEC)-\d\d\b/g

/** Notes what became of each test that names a case, for `scripts/cases.mjs`: where `CASES_REPORT` says. */
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
