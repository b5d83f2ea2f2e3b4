/** Prints one summary line for tools at the end of the run. */
export default class SummaryReporter {
  onRunComplete(_, results) {
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites
    const skipped = results.numPendingTests + results.numTodoTests
    // After Jest's summary, which is written to stderr.
    process.on("exit", () => console.log(`${results.numPassedTests} passed, ${failed} failed, ${skipped} skipped`))
  }
}
