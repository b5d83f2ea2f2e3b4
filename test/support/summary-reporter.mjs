/** Ends the run with one plain line that any tool can read. */
export default class SummaryReporter {
  onRunComplete(_, results) {
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites
    const skipped = results.numPendingTests + results.numTodoTests
    // After Jest's own summary, which is written to the other stream.
    process.on("exit", () => console.log(`${results.numPassedTests} passed, ${failed} failed, ${skipped} skipped`))
  }
}
