import CalotypeSupport
import Testing

@Suite("URLs that are shown")
struct RedactedURLTests {
  @Test(
    "a user is left out, and nothing else",
    arguments: [
      ("https://ann:secret@example.org/a@2x.png?b=c@d#e@f", "https://example.org/a@2x.png?b=c@d#e@f"),
      ("https://ann@example.org", "https://example.org"),
      ("https://:secret@example.org:81/", "https://example.org:81/"),
      ("https://ann:se@cret@example.org/", "https://example.org/"),
      ("//ann:secret@example.org/a", "//example.org/a"),
      ("https://ann:secret@[::1]:80/", "https://[::1]:80/"), ("http://a:b@h\\x@y", "http://h\\x@y"),
      ("https://example.org/a@2x.png", "https://example.org/a@2x.png"), ("mailto:a@b.c", "mailto:a@b.c"),
      ("/tmp//a@b.png", "/tmp//a@b.png"), ("https://example.org//a@b", "https://example.org//a@b"),
      ("https://proxy.example/?url=https://a:secret@b/", "https://proxy.example/?url=https://b/"),
      ("no http://a:secret@b/c and no ftp://d:secret@e", "no http://b/c and no ftp://e"),
      ("http:///ann:secret@h/", "http:///h/"), ("HTTPS:/ann:secret@h/", "HTTPS:/h/"),
      ("http:ann:se@cret@h", "http:h"),
      ("http:\\\\ann:secret@h", "http:\\\\h"),
      ("the URL '//ann:secret@h/' is none", "the URL '//h/' is none"),
      ("x=https:\\/ann:secret@h/a@b", "x=https:\\/h/a@b"), ("file:///a@b/c", "file:///a@b/c"),
      ("http://a:b@", "http://"), ("a//b@c", "a//b@c"),
      ("mail a@b about http://c d@e", "mail a@b about http://c d@e"), ("", ""), ("@", "@"), ("//", "//"),
    ])
  func users(text: String, shown: String) {
    #expect(RedactedURL.withoutUsers(text) == shown)
    #expect(RedactedURL.withoutUsers(shown) == shown)
  }

  @Test("of one URL, spaces are a part")
  func one() {
    #expect(
      RedactedURL.withoutUsers("https://ann:sec ret@example.org/", isOne: true) == "https://example.org/")
  }
}
