const { TestEnvironment } = require("jest-environment-node")

/** Skips the rest of a file after the first failing test. */
module.exports = class extends TestEnvironment {
  #hasFailed = false

  handleTestEvent(event) {
    if (event.name === "test_done" && event.test.errors.length > 0) this.#hasFailed = true
    if (event.name === "test_start" && this.#hasFailed) event.test.mode = "skip"
  }
}
