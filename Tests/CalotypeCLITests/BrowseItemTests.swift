import CalotypeTerminal
import Testing

@testable import CalotypeCLI

@Suite("Browse: lines of the list")
struct BrowseItemTests {
  @Test("names are those of files, without what follows in the URL")
  func names() {
    let names = [
      "https://example.com/a/photo%20one.jpg?size=5#x": "photo one.jpg", "/tmp/b.png": "b.png",
      "https://example.com": "https://example.com", "https://example.com/": "https://example.com/",
    ]
    for (text, name) in names { #expect(BrowseItem(text: text).name == name) }
    #expect(throws: CommandError.self) { try BrowseItem(text: "x", isTooLong: true).source() }
  }

  @Test("names are cut off")
  func longNames() {
    let data = "data:image/png;base64," + String(repeating: "A", count: 50_000)
    #expect(BrowseItem(text: data).name.count == 200)
  }
}
