import { inputProps } from "../../../lib/pages/inputs.js"
import type { CredentialInputs } from "../../../lib/pages/props.js"

const attributesOf = (input: CredentialInputs[string], name = "pin") =>
  inputProps("credentials", { [name]: input })[0]?.attributes

describe("inputProps", () => {
  it.each([undefined, null, false])("leaves out a field that is %s", (absent) => {
    const inputs = inputProps("ldap", { pin: {}, otp: absent as unknown as object })
    expect(inputs.map(({ name }) => name)).toEqual(["pin"])
  })

  it("fills in label, type and placeholder", () => {
    expect(inputProps("ldap", { pin: {} })).toEqual([
      { id: "input-pin-for-ldap-provider", name: "pin", label: "pin", type: "text", placeholder: "", attributes: [] },
    ])
  })

  it("keeps label, type, placeholder and order", () => {
    const inputs = inputProps("ldap", { b: { label: "B", type: "Tel", placeholder: "+49" }, a: { label: "A" } })
    expect(inputs).toMatchObject([
      { name: "b", label: "B", type: "tel", placeholder: "+49" },
      { name: "a", label: "A", type: "text", placeholder: "" },
    ])
  })

  it("creates ids without spaces", () => {
    expect(inputProps("my ldap", { "user name": {} })[0]?.id).toBe("input-user+name-for-my+ldap-provider")
  })

  it.each<[CredentialInputs[string], unknown]>([
    [{ required: true }, [["required", true]]],
    [{ required: false }, []],
    [{ required: null, disabled: undefined }, []],
    [
      { minlength: 4, maxlength: "6" },
      [
        ["minlength", "4"],
        ["maxlength", "6"],
      ],
    ],
    [
      { maxLength: 6, minLength: 4 },
      [
        ["maxlength", "6"],
        ["minlength", "4"],
      ],
    ],
    [{ autoComplete: "one-time-code" }, [["autocomplete", "one-time-code"]]],
    [
      { autoFocus: true, readOnly: true },
      [
        ["autofocus", true],
        ["readonly", true],
      ],
    ],
    [
      { inputMode: "numeric", pattern: "[0-9]*" },
      [
        ["inputmode", "numeric"],
        ["pattern", "[0-9]*"],
      ],
    ],
    [{ className: "wide" }, [["class", "wide"]]],
    [
      { "aria-required": true, "data-lpignore": false, spellCheck: false },
      [
        ["aria-required", "true"],
        ["data-lpignore", "false"],
        ["spellcheck", "false"],
      ],
    ],
    [{ value: "" }, [["value", ""]]],
    [{ onclick: "alert(1)", onFocus: "alert(1)", onchange: () => 1 }, []],
    [{ style: "color:red" }, []],
    [{ id: "x", name: "y" }, []],
    [{ validate: () => true, list: ["a"], data: {} }, []],
    [{ "x><script>": "1", "a b": "1", 'a"': "1", "1a": "1", "": "1" }, []],
    [{ maxLength: 6, maxlength: 7 }, [["maxlength", "7"]]],
  ])("turns %j into the attributes %j", (input, attributes) => {
    expect(attributesOf(input)).toEqual(attributes)
  })

  it.each([
    ["otp", "text", "one-time-code"],
    ["totp_code", "number", "one-time-code"],
    ["code", "password", "one-time-code"],
    ["newPassword", "password", "new-password"],
    ["password-confirmation", "password", "new-password"],
    ["work", "email", "username"],
  ])("for the field %s of type %s sets the autocomplete %s", (name, type, autocomplete) => {
    expect(attributesOf({ type }, name)).toEqual([["autocomplete", autocomplete]])
  })

  it.each(["username", "email", "login", "userName"])("sets the autocomplete username for the field %s", (name) => {
    expect(attributesOf({}, name)).toEqual([["autocomplete", "username"]])
  })

  it("sets the autocomplete current-password for a password field", () => {
    expect(attributesOf({ type: "password" })).toEqual([["autocomplete", "current-password"]])
    expect(attributesOf({ type: "password" }, "username")).toEqual([["autocomplete", "current-password"]])
  })

  it("keeps an autocomplete of the application", () => {
    expect(attributesOf({ type: "password", autoComplete: "off" })).toEqual([["autocomplete", "off"]])
    expect(attributesOf({ autocomplete: "email" }, "email")).toEqual([["autocomplete", "email"]])
  })

  it("sets no autocomplete for other fields", () => {
    expect(attributesOf({ type: "hidden" }, "username")).toEqual([])
    expect(attributesOf({ type: "checkbox" }, "login")).toEqual([])
    expect(attributesOf({ type: "number" }, "login")).toEqual([])
    expect(attributesOf({ type: "text" }, "zipcode")).toEqual([])
  })
})
