const { authMiddleware } = require("latchkey")
const { MemoryStore } = require("latchkey/stores/memory")
const serveEach = require("./application.cjs")

serveEach({ authMiddleware, MemoryStore, express: require(process.argv[2]) })
