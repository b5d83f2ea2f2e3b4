import { describeDevice } from "../../../lib/sessions/device.js"

const userAgent = undefined

it.each([
  ["192.0.2.77", "192.0.2.0/24"],
  ["192.0.2.77:50123", "192.0.2.0/24"],
  ["::ffff:192.0.2.77", "192.0.2.0/24"],
  ["2001:DB8:1:2:3::4", "2001:db8:1::/48"],
  ["[2001:db8:1:2::4]:50123", "2001:db8:1::/48"],
  ["fe80::1%eth0", "fe80:0:0::/48"],
  ["ada-laptop.example", undefined],
  ["192.0.2.77.example", undefined],
  ["unknown", undefined],
])('with recordAddress: "truncated", the address %s is recorded as %s', (clientAddress, address) => {
  expect(describeDevice({ userAgent, clientAddress }, { recordAddress: "truncated" } as never).address).toBe(address)
})

it("recordAddress decides whether the address is recorded", () => {
  const record = (recordAddress: false | "full") =>
    describeDevice({ userAgent, clientAddress: "192.0.2.77" }, { recordAddress } as never)
  expect([record(false), record("full")]).toEqual([{}, { address: "192.0.2.77" }])
})
