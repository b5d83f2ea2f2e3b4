/**
 * Unusual and invalid HTTP responses of a provider.
 *
 * @module
 */
import { gzipSync } from "node:zlib"
import { answerWith, type Bytes } from "./wire.js"

// Compressed once, because that is slow.
const BOMB = gzipSync(Buffer.alloc(100_000_000, " "))
const NESTED_BOMB = gzipSync(gzipSync(Buffer.alloc(10_000_000, " ")))

const deep = (levels: number) => "[".repeat(levels) + "]".repeat(levels)
/** The provider's JSON with another member at the start. */
const withMember = (json: string, member: string) => `{${member},${json.trimStart().slice(1)}`
const chunked = "transfer-encoding: chunked\r\ncontent-type: application/json"

/** Responses that cannot be used: each is treated like no response. */
export const USELESS: readonly (readonly [what: string, bytes: Bytes, reason: RegExp])[] = [
  ["another protocol", { write: () => "SSH-2.0-OpenSSH_9.6\r\n" }, /HTTP|parse|terminated|closed/i],
  ["an empty response", { write: () => "" }, /closed|terminated|hang up|socket/i],
  ["an unknown status", { write: (json) => answerWith(json, "x: y", "999 What") }, /status|999/],
  ["a status of two digits", { write: (json) => answerWith(json, "x: y", "20 OK") }, /status|parse|HTTP/i],
  ["an unsolicited protocol upgrade", { write: () => "HTTP/1.1 101 Go\r\nupgrade: x\r\n\r\n" }, /upgrade|101|closed/i],
  ["status 204", { write: () => "HTTP/1.1 204 No Content\r\n\r\n" }, /204|JSON/],
  ["status 205", { write: () => "HTTP/1.1 205 Reset Content\r\ncontent-length: 0\r\n\r\n" }, /205|JSON/],
  ["status 304", { write: () => "HTTP/1.1 304 Not Modified\r\n\r\n" }, /304|JSON/],
  [
    "status 201 with an unexpected body",
    { write: () => answerWith('{"id":1}', "a: b", "201 Created") },
    /201|JSON|missing/i,
  ],
  [
    "a truncated body and a reset",
    { write: () => "HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n{", ending: "reset" },
    /reset|terminated|closed/i,
  ],
  ["a truncated body", { write: () => "HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n{" }, /closed|terminated/i],
  [
    "a truncated chunked body",
    { write: () => `HTTP/1.1 200 OK\r\n${chunked}\r\n\r\n5\r\n{"a":\r\n` },
    /closed|terminated/i,
  ],
  [
    "an invalid chunk size",
    { write: () => `HTTP/1.1 200 OK\r\n${chunked}\r\n\r\nzz\r\n{}\r\n` },
    /parse|chunk|terminated/i,
  ],
  [
    "a chunk of 2⁶⁴ bytes",
    { write: () => `HTTP/1.1 200 OK\r\n${chunked}\r\n\r\nffffffffffffffff1\r\n{}` },
    /parse|chunk|terminated/i,
  ],
  [
    "two Content-Length headers",
    { write: (json) => answerWith(json, "content-length: 2") },
    /parse|content-length|terminated/i,
  ],
  ["endless headers", { write: () => `HTTP/1.1 200 OK\r\n${"x-filler: y\r\n".repeat(20_000)}` }, /headers|overflow/i],
  [
    "an endless body",
    { write: () => `HTTP/1.1 200 OK\r\n\r\n"${"a".repeat(500_000)}`, ending: "again" },
    /larger than 1000000 bytes/,
  ],
  [
    "a megabyte of white space",
    { write: (json) => answerWith(`${" ".repeat(1_000_000)}${json}`) },
    /larger than 1000000 bytes/,
  ],
  [
    "100 MB compressed to 100 kB",
    { write: () => answerWith(BOMB, "content-encoding: gzip") },
    /larger than 1000000 bytes/,
  ],
  [
    "10 MB compressed twice",
    { write: () => answerWith(NESTED_BOMB, "content-encoding: gzip, gzip") },
    /larger than 1000000 bytes/,
  ],
  [
    "invalid gzip",
    { write: (json) => answerWith(json, "content-encoding: gzip") },
    /incorrect header|terminated|JSON|decompress/i,
  ],
  [
    "truncated gzip",
    { write: (json) => answerWith(gzipSync(json).subarray(0, 30), "content-encoding: gzip") },
    /unexpected end|terminated|JSON/i,
  ],
  [
    "UTF-16",
    { write: (json) => answerWith(Buffer.from(json, "utf16le"), "content-type: application/json; charset=utf-16") },
    /JSON/,
  ],
  ["two JSON values", { write: (json) => answerWith(json + json) }, /JSON/],
  ["JSONP", { write: (json) => answerWith(`callback(${json})`) }, /JSON/],
  ["JSON in a JSON string", { write: (json) => answerWith(JSON.stringify(json)) }, /JSON|object/],
  ["a number", { write: () => answerWith("1e999") }, /JSON|object/],
  ["a deeply nested list", { write: () => answerWith(deep(400_000)) }, /JSON|object/],
]

/** Unusual responses that are valid. */
export const ODD: readonly (readonly [what: string, bytes: Bytes])[] = [
  ["a byte order mark", { write: (json) => answerWith(`\ufeff${json}`) }],
  ["white space around it", { write: (json) => answerWith(`\r\n\t ${json}\n\n`) }],
  ["no content type", { write: (json) => answerWith(json, "x: y") }],
  ["the content type of HTML", { write: (json) => answerWith(json, "content-type: text/html; charset=iso-8859-1") }],
  ["a status without a reason phrase", { write: (json) => answerWith(json, "x: y", "200 ") }],
  [
    "a reason phrase in Cyrillic",
    { write: (json) => answerWith(json, "x: y", "200 \u0423\u0441\u043f\u0435\u0448\u043d\u043e") },
  ],
  [
    "a reason phrase in Latin-1",
    { write: (json) => answerWith(json, "x: y", Buffer.from("200 R\u00e9ussi", "latin1").toString("latin1")) },
  ],
  ["a header in Japanese", { write: (json) => answerWith(json, "x-\u0069d: \u65e5\u672c") }],
  [
    "early hints before it",
    {
      write: (json) =>
        Buffer.concat([Buffer.from("HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n".repeat(3)), answerWith(json)]),
    },
  ],
  ["gzip", { write: (json) => answerWith(gzipSync(json), "content-encoding: gzip") }],
  ["cookies", { write: (json) => answerWith(json, "set-cookie: authjs.session-token=x; path=/") }],
  ["a member of 100,000 levels", { write: (json) => answerWith(withMember(json, `"deep":${deep(100_000)}`)) }],
  [
    "members of Object.prototype",
    {
      write: (json) =>
        answerWith(withMember(json, '"__proto__":{"admin":true},"constructor":{"prototype":{"admin":true}}')),
    },
  ],
  [
    "10,000 members",
    { write: (json) => answerWith(withMember(json, Array.from({ length: 10_000 }, (_, i) => `"m${i}":${i}`).join())) },
  ],
  [
    "numbers beyond the range of JavaScript",
    { write: (json) => answerWith(withMember(json, '"a":1e999,"b":-1e999,"c":123456789012345678901234567890')) },
  ],
  [
    "duplicate members, the right one last",
    {
      write: (json) =>
        answerWith(withMember(json, '"access_token":"x","keys":[],"sub":"eve","issuer":"https://evil.test"')),
    },
  ],
]
