import { parseForms, visibleText } from "../../support/html.js"

describe("parseForms and visibleText", () => {
  it("parseForms returns the fields that a browser would send", () => {
    const [form] = parseForms(`<!-- <form action="/commented"> --><FORM METHOD=POST ACTION="/a?b=1&amp;c=2" data-x='>'>
      <input type="hidden" name="token" value="&quot;&#39;&#x41;&lt;">
      <input name='empty'><input type=checkbox name=off value=1><input type=checkbox name=on value=1 checked>
      <input name=disabled disabled value=1><input type=submit name=go value=Go>
      <button type="submit" name="who" value="alice"><b>Alice</b> &amp; Co</button></FORM>`)
    expect(form).toMatchObject({ action: "/a?b=1&c=2", method: "POST", attributes: { "data-x": ">" } })
    expect(form?.fields).toEqual({ token: `"'A<`, empty: "", on: "1" })
    expect(form?.inputs.map(({ name }) => name)).toEqual(["token", "empty", "off", "on", "disabled", "go"])
    expect(form?.buttons).toMatchObject([{ name: "who", value: "alice", label: "Alice & Co" }])
  })

  it("parseForms returns the forms in the order of the page, with GET as the default method", () => {
    const forms = parseForms('<form id=1 action="/1"></form><p><form action="/2" method="dialog"></form>')
    expect(forms.map(({ action, method }) => [action, method])).toEqual([
      ["/1", "GET"],
      ["/2", "GET"],
    ])
  })

  it("visibleText returns the displayed text", () => {
    const html = "<head><title>T</title></head><style>b{}</style><h1>Sign&nbsp;in</h1>\n<p>as <b>Alice</b>&hellip;</p>"
    expect(visibleText(html)).toBe("Sign in as Alice &hellip;")
  })
})
