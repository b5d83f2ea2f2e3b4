/**
 * WebSockets with a session, which is read from the request that opens the connection.
 */
import { createServer } from "node:http"
import express from "express"
import { authMiddleware, watchSession } from "latchkey"
import { Server } from "socket.io"
import { authConfig, port } from "./auth.js"

const origin = `http://localhost:${port}`

const app = express()
app.use(authMiddleware(authConfig))
app.get("/", (_req, res) => {
  res.send(`<!doctype html>
<title>Chat</title>
<p id="who">…</p> <a href="/auth/signin">Sign in</a> <a href="/auth/signout">Sign out</a>
<form><input name="text" aria-label="Message"> <button>Send</button></form>
<ul></ul>
<script src="/socket.io/socket.io.js"></script>
<script src="/chat.js"></script>`)
})
app.get("/chat.js", (_req, res) => res.type("js").send(CHAT))

const server = createServer(app)
const sockets = new Server(server, {
  // Browsers send no preflight before a WebSocket, so refuse other origins here. Non-browser clients send no Origin.
  allowRequest: ({ headers }, done) => done(null, headers.origin === undefined || headers.origin === origin),
})

sockets.use(async (socket, next) => {
  try {
    // Ends the connection when the user signs out, also with other tabs or devices.
    const session = await watchSession(socket.request, authConfig, {
      until: socket,
      onEnd: () => socket.disconnect(true),
    })
    if (!session) return next(new Error("sign in first"))
    socket.data.session = session
    next()
  } catch {
    // The database is down. The user is not signed out.
    next(new Error("try again later"))
  }
})

sockets.on("connection", (socket) => {
  const { user } = socket.data.session
  socket.emit("welcome", user.name)
  socket.on("say", (text) => sockets.emit("said", { by: user.name, text: String(text).slice(0, 500) }))
})

const CHAT = `
const socket = io()
const who = document.querySelector("#who")
socket.on("welcome", (name) => { who.textContent = "You are " + name })
socket.on("connect_error", ({ message }) => { who.textContent = message })
socket.on("said", ({ by, text }) => {
  const item = document.createElement("li")
  item.textContent = by + ": " + text
  document.querySelector("ul").append(item)
})
document.querySelector("form").addEventListener("submit", (event) => {
  event.preventDefault()
  socket.emit("say", event.target.elements.text.value)
  event.target.reset()
})
`

server.listen(port, () => console.log(`Open ${origin}`))
