/** The style of the pages: light or dark, readable at 320 pixels. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --page: light-dark(#e6edf7, #101826);
  --card: light-dark(#fff, #1a2435);
  --text: light-dark(#16233a, #e6edf7);
  --muted: light-dark(#4c5b75, #a9b6cc);
  --edge: light-dark(#b9c4d6, #46536b);
  --field: light-dark(#76839a, #7f8da6);
  --accent: light-dark(#2557a7, #7fb0ff);
  --on-accent: light-dark(#fff, #101826);
  --alert: light-dark(#a31616, #fca5a5);
}
*, ::before, ::after { box-sizing: border-box }
body { display: grid; place-items: start center; min-height: 100vh; margin: 0; padding: 2rem 1rem;
  background: var(--page); color: var(--text); font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere }
main { width: min(100%, 28rem); margin-block: auto; padding: 2rem; border-top: 0.375rem solid var(--accent);
  border-radius: 0.5rem; background: var(--card) }
h1 { margin: 0.25rem 0 0; font-size: 1.5rem; line-height: 1.25 }
p { margin: 0.5rem 0 0 }
.where, .lead, .hint { color: var(--muted) }
.where, .hint { margin: 0; font-size: 0.875rem }
.alert { margin: 0 0 0.75rem; color: var(--alert) }
ul { display: grid; gap: 0.75rem; margin: 1.5rem 0; padding: 0; list-style: none }
form { display: grid; gap: 0.75rem }
button, input, select, textarea { width: 100%; min-height: 2.75rem; padding: 0.5rem 0.875rem;
  border: 1px solid var(--field); border-radius: 0.5rem; background: var(--card); color: inherit; font: inherit }
textarea { min-height: 6rem; font: 0.875rem/1.5 ui-monospace, monospace }
button { border-color: var(--edge); text-align: start; cursor: pointer }
button:hover { border-color: currentcolor }
button span { display: block; color: var(--muted); font-size: 0.875rem }
button.primary { border-color: var(--accent); background: var(--accent); color: var(--on-accent); text-align: center }
button.plain { border-color: transparent; text-align: center }
label { display: grid; gap: 0.25rem; font-size: 0.9375rem }
label.tick { grid-template-columns: auto 1fr; gap: 0.625rem; align-items: center; min-height: 1.75rem }
label.tick input { width: 1.25rem; min-height: 1.25rem; margin: 0; accent-color: var(--accent) }
details { border-top: 1px solid var(--edge) }
details details, li details { border: 0 }
summary { padding: 0.75rem 0; cursor: pointer }
li summary { padding: 0.375rem 0; color: var(--muted); font-size: 0.875rem }
details > form { padding-block: 0.25rem 1rem }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px }
`
