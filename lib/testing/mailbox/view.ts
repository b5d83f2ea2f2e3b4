import { type Html, html } from "../html.js"
import { type CapturedMail, MAX_MAILS } from "./store.js"

/** The style of the page: light or dark, readable at 320 pixels. */
export const STYLE = `:root { color-scheme: light dark; --muted: light-dark(#4c5b75, #a9b6cc); --edge: light-dark(#b9c4d6, #46536b) }
body { max-width: 60rem; margin: 0 auto; padding: 1.5rem 1rem; font: 1rem/1.5 system-ui, sans-serif;
  background: light-dark(#fff, #101826); color: light-dark(#16233a, #e6edf7); overflow-wrap: anywhere }
a { color: light-dark(#2557a7, #7fb0ff) }
h1 { font-size: 1.5rem } h2 { margin-top: 2rem; font-size: 1.25rem } h3 { font-size: 1rem }
.lead, time, .cards span { color: var(--muted) }
.parts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 20rem), 1fr)); gap: 1.5rem }
iframe { width: 100%; height: 30rem; border: 1px solid var(--edge); border-radius: 0.5rem; background: #fff }
.text { white-space: pre-wrap }
.cards { display: grid; gap: 0.5rem; padding: 0; list-style: none }
.cards a { display: block; padding: 0.75rem 1rem; border: 1px solid var(--edge); border-radius: 0.5rem;
  color: inherit; text-decoration: none }
.cards a:hover, .cards [aria-current] { border-color: currentcolor }
.cards span { display: block; font-size: 0.875rem }
`

const ADDRESS = /(https?:\/\/\S+)/

const withLinks = (text: string): Html[] =>
  text.split(ADDRESS).map((part) => (ADDRESS.test(part) ? html`<a href="${part}">${part}</a>` : html`${part}`))

const concatenate = (parts: readonly Html[]): Html => html.trusted(parts.map(({ text }) => text).join(""))

// The sandbox allows only that a click on a link navigates the whole window.
const mailSection = (mail: CapturedMail, base: string): Html => html`
  <h2>${mail.subject}</h2>
  <p>To <b>${mail.to}</b>, <time datetime="${mail.sentAt.toISOString()}">${mail.sentAt.toLocaleString("en-GB")}</time></p>
  <div class="parts">
    <section>
      <h3>HTML</h3>
      <iframe src="${base}/${mail.id}/html" title="The email as HTML" sandbox="allow-top-navigation-by-user-activation"></iframe>
    </section>
    <section>
      <h3>Text</h3>
      <p class="text">${concatenate(withLinks(mail.text))}</p>
    </section>
  </div>`

const mailItem = ({ id, to, subject, sentAt }: CapturedMail, current: CapturedMail, base: string): Html => html`
    <li><a href="${base}/${id}"${id === current.id ? html` aria-current="true"` : undefined}><b>${to}</b> <span>${subject}, ${sentAt.toLocaleTimeString("en-GB")}</span></a></li>`

const mailList = (mails: readonly CapturedMail[], current: CapturedMail, base: string): Html => html`
  <h2>All emails</h2>
  <ul class="cards">${mails.map((mail) => mailItem(mail, current, base))}
  </ul>`

const EMPTY = html`<p>There are no emails yet. Sign in with an email address to receive one.</p>`

/** Renders the list of all emails and the content of the current email. `base` is the mount path. */
export const renderInbox = (mails: readonly CapturedMail[], current: CapturedMail | undefined, base: string): string =>
  html`<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>Emails</title>
  <link rel="stylesheet" href="${base}/style.css">
</head>
<body>
<main>
  <h1>Emails</h1>
  <p class="lead">Nothing is sent in development. The last ${MAX_MAILS} emails are stored here until the next start.</p>
  ${current ? [mailSection(current, base), mailList(mails, current, base)] : EMPTY}
</main>
</body>
</html>
`.text

/** Returns the HTML of an email for the iframe. The links in the email open in the whole window. */
export const renderMailFrame = ({ html: text }: CapturedMail): string =>
  text.replace("<head>", '<head>\n  <base target="_top">')
