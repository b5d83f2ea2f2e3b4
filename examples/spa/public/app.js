const { apiOrigin } = await (await fetch("/config.json")).json()
const $ = (id) => document.getElementById(id)

/** With `include` the browser sends the API's cookies, and stores those of the response. */
const call = (path, init) => fetch(apiOrigin + path, { credentials: "include", ...init })

const post = (path, body, headers = {}) =>
  call(path, {
    method: "POST",
    headers: { "Content-Type": "application/json", ...headers },
    body: JSON.stringify(body),
  })

async function showWho() {
  const answer = await call("/me")
  const user = answer.ok ? await answer.json() : undefined
  $("who").textContent = user ? `Signed in as ${user.name}` : "Nobody is signed in"
  $("sign-in").hidden = user !== undefined
  $("sign-out").hidden = $("note").hidden = user === undefined
}

// Navigate to the API's sign-in page, so that this app's scripts handle no passwords.
$("sign-in").href = `${apiOrigin}/auth/signin?${new URLSearchParams({ callbackUrl: location.href })}`

// Signing out can be a request, with the token of /auth/csrf.
$("sign-out").addEventListener("click", async () => {
  const { csrfToken } = await (await call("/auth/csrf")).json()
  await post("/auth/signout", { csrfToken, callbackUrl: location.href }, { "X-Auth-Return-Redirect": "1" })
  await showWho()
})

$("note").addEventListener("submit", async (event) => {
  event.preventDefault()
  const { text } = event.target.elements
  const notes = await (await post("/notes", { text: text.value })).json()
  $("notes").replaceChildren(
    ...notes.map(({ by, text }) => Object.assign(document.createElement("li"), { textContent: `${by}: ${text}` })),
  )
  text.value = ""
})

await showWho()
