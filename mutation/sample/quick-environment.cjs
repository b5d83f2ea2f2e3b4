const { TestEnvironment } = require("jest-environment-node")

/** One test that fails has said enough: what follows it in the file is skipped. */
module.exports = class extends TestEnvironment {
  #hasFailed = false

  handleTestEvent(event) {
    if (event.name === "test_done" && event.test.errors.length > 0) this.#hasFailed = true
    if (event.name === "test_start" && this.#hasFailed) event.test.mode = "skip"
  }
}
