const { authMiddleware } = require("latchkey")
const serveEach = require("./application.cjs")

serveEach({ authMiddleware, express: require(process.argv[2]) })
