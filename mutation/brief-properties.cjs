const fc = require("fast-check")

// A property that fails has said enough, and the smallest example is for people; one that holds has been tried enough
// after a while.
fc.configureGlobal({ endOnFailure: true, interruptAfterTimeLimit: 150 })
