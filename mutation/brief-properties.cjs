const fc = require("fast-check")

// Skip the shrinking of failures, which only helps developers, and limit the time of properties that hold.
fc.configureGlobal({ endOnFailure: true, interruptAfterTimeLimit: 150 })
