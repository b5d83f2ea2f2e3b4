import { authMiddleware } from "latchkey"
import { MemoryStore } from "latchkey/stores/memory"
import serveEach from "./application.cjs"

const { default: express } = await import(process.argv[2])
serveEach({ authMiddleware, MemoryStore, express })
