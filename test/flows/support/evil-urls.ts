/** URLs of known open redirect attacks. Browsers treat `\u3002` and similar characters as dots and slashes. */
export const EVIL = [
  ..."//evil.test ///evil.test ////evil.test /\\evil.test \\/evil.test \\\\evil.test //evil.test/%2e%2e".split(" "),
  ..."https:evil.test http:///evil.test HTTPS://EVIL.TEST https://app.test@evil.test https://app.test:444".split(" "),
  ..."https://app.test.evil.test https://evil.test/#app.test https://evil.test?https://app.test .evil.test".split(" "),
  ..."@evil.test :evil.test /%2f%2fevil.test %2f%2fevil.test /..//evil.test /./\\evil.test ;//evil.test".split(" "),
  ..."javascript:alert(1) JavaScript:alert(1) data:text/html,x vbscript:x blob:https://app.test/1 file:///x".split(" "),
  ...["/\t/evil.test", "/\n/evil.test", "/\r/evil.test", "/\u0000/evil.test", "\t//evil.test", " //evil.test"],
  ...["java\nscript:alert(1)", "https://app.test\u3002evil.test", "//evil\u3002test", "\uff0f\uff0fevil.test"],
  ...["/\uff0fevil.test", "https://app.test\\.evil.test", "https://app.test\\@evil.test", "https://[::1]", "https://"],
  ...[
    "//app.test.evil.test",
    "https://user:pw@app.test/",
    "https://app.test%2eevil.test",
    "https://evil.test\\app.test",
  ],
]
