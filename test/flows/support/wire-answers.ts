/**
 * What a provider's answer may look like on the wire.
 *
 * @module
 */
import { gzipSync } from "node:zlib"
import { answerWith, type Bytes } from "./wire.js"

// Packed once: that takes longer than all the rest.
const BOMB = gzipSync(Buffer.alloc(100_000_000, " "))
const NESTED_BOMB = gzipSync(gzipSync(Buffer.alloc(10_000_000, " ")))

const deep = (levels: number) => "[".repeat(levels) + "]".repeat(levels)
/** The provider's answer with a member more, in front. */
const withMember = (json: string, member: string) => `{${member},${json.trimStart().slice(1)}`
const chunked = "transfer-encoding: chunked\r\ncontent-type: application/json"

/** No answer to anything: each is the same as none. */
export const USELESS: readonly (readonly [what: string, bytes: Bytes, reason: RegExp])[] = [
  ["another protocol", { write: () => "SSH-2.0-OpenSSH_9.6\r\n" }, /HTTP|parse|terminated|closed/i],
  ["nothing at all", { write: () => "" }, /closed|terminated|hang up|socket/i],
  ["a status that there is not", { write: (json) => answerWith(json, "x: y", "999 What") }, /status|999/],
  ["a status of two digits", { write: (json) => answerWith(json, "x: y", "20 OK") }, /status|parse|HTTP/i],
  [
    "another protocol that nobody asked for",
    { write: () => "HTTP/1.1 101 Go\r\nupgrade: x\r\n\r\n" },
    /upgrade|101|closed/i,
  ],
  ["status 204", { write: () => "HTTP/1.1 204 No Content\r\n\r\n" }, /204|JSON/],
  ["status 205", { write: () => "HTTP/1.1 205 Reset Content\r\ncontent-length: 0\r\n\r\n" }, /205|JSON/],
  ["status 304", { write: () => "HTTP/1.1 304 Not Modified\r\n\r\n" }, /304|JSON/],
  [
    "status 201 with another thing",
    { write: () => answerWith('{"id":1}', "a: b", "201 Created") },
    /201|JSON|missing/i,
  ],
  [
    "half a body, and a reset",
    { write: () => "HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n{", ending: "reset" },
    /reset|terminated|closed/i,
  ],
  [
    "half a body, and an end",
    { write: () => "HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n{" },
    /closed|terminated/i,
  ],
  ["half of its chunks", { write: () => `HTTP/1.1 200 OK\r\n${chunked}\r\n\r\n5\r\n{"a":\r\n` }, /closed|terminated/i],
  [
    "chunks of no size",
    { write: () => `HTTP/1.1 200 OK\r\n${chunked}\r\n\r\nzz\r\n{}\r\n` },
    /parse|chunk|terminated/i,
  ],
  [
    "a chunk of 2⁶⁴ bytes",
    { write: () => `HTTP/1.1 200 OK\r\n${chunked}\r\n\r\nffffffffffffffff1\r\n{}` },
    /parse|chunk|terminated/i,
  ],
  ["two lengths", { write: (json) => answerWith(json, "content-length: 2") }, /parse|content-length|terminated/i],
  [
    "headers without end",
    { write: () => `HTTP/1.1 200 OK\r\n${"x-filler: y\r\n".repeat(20_000)}` },
    /headers|overflow/i,
  ],
  [
    "a body without end",
    { write: () => `HTTP/1.1 200 OK\r\n\r\n"${"a".repeat(500_000)}`, ending: "again" },
    /larger than 1000000 bytes/,
  ],
  [
    "a megabyte of white space",
    { write: (json) => answerWith(`${" ".repeat(1_000_000)}${json}`) },
    /larger than 1000000 bytes/,
  ],
  ["100 MB within 100 kB", { write: () => answerWith(BOMB, "content-encoding: gzip") }, /larger than 1000000 bytes/],
  [
    "10 MB within 10 kB within 100 bytes",
    { write: () => answerWith(NESTED_BOMB, "content-encoding: gzip, gzip") },
    /larger than 1000000 bytes/,
  ],
  [
    "a broken archive",
    { write: (json) => answerWith(json, "content-encoding: gzip") },
    /incorrect header|terminated|JSON|decompress/i,
  ],
  [
    "an archive cut short",
    { write: (json) => answerWith(gzipSync(json).subarray(0, 30), "content-encoding: gzip") },
    /unexpected end|terminated|JSON/i,
  ],
  [
    "UTF-16",
    { write: (json) => answerWith(Buffer.from(json, "utf16le"), "content-type: application/json; charset=utf-16") },
    /JSON/,
  ],
  ["two answers in one", { write: (json) => answerWith(json + json) }, /JSON/],
  ["JSON of JavaScript", { write: (json) => answerWith(`callback(${json})`) }, /JSON/],
  ["JSON within a text", { write: (json) => answerWith(JSON.stringify(json)) }, /JSON|object/],
  ["a number", { write: () => answerWith("1e999") }, /JSON|object/],
  ["a list without end", { write: () => answerWith(deep(400_000)) }, /JSON|object/],
]

/** Odd, and an answer all the same. */
export const ODD: readonly (readonly [what: string, bytes: Bytes])[] = [
  ["a byte order mark", { write: (json) => answerWith(`\ufeff${json}`) }],
  ["white space around it", { write: (json) => answerWith(`\r\n\t ${json}\n\n`) }],
  ["no type", { write: (json) => answerWith(json, "x: y") }],
  ["the type of a page", { write: (json) => answerWith(json, "content-type: text/html; charset=iso-8859-1") }],
  ["a status without words", { write: (json) => answerWith(json, "x: y", "200 ") }],
  [
    "a status in words of another alphabet",
    { write: (json) => answerWith(json, "x: y", "200 \u0423\u0441\u043f\u0435\u0448\u043d\u043e") },
  ],
  [
    "a status in Latin-1",
    { write: (json) => answerWith(json, "x: y", Buffer.from("200 R\u00e9ussi", "latin1").toString("latin1")) },
  ],
  ["headers of another alphabet", { write: (json) => answerWith(json, "x-\u0069d: \u65e5\u672c") }],
  [
    "hints before it",
    {
      write: (json) =>
        Buffer.concat([Buffer.from("HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n".repeat(3)), answerWith(json)]),
    },
  ],
  ["an archive", { write: (json) => answerWith(gzipSync(json), "content-encoding: gzip") }],
  ["cookies, which nobody keeps", { write: (json) => answerWith(json, "set-cookie: authjs.session-token=x; path=/") }],
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
    "numbers beyond all measure",
    { write: (json) => answerWith(withMember(json, '"a":1e999,"b":-1e999,"c":123456789012345678901234567890')) },
  ],
  [
    "a member twice, the right one last",
    {
      write: (json) =>
        answerWith(withMember(json, '"access_token":"x","keys":[],"sub":"eve","issuer":"https://evil.test"')),
    },
  ],
]
