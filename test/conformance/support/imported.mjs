import { authMiddleware } from "latchkey"
import serveEach from "./application.cjs"

const { default: express } = await import(process.argv[2])
serveEach({ authMiddleware, express })
