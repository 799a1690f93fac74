#if SVG
import CalotypeImaging
import FoundationEssentials
import Testing

@testable import CalotypeIsolation

@Suite("Drawings in workers", .enabled(if: SVGDecoder().refusal(of: .svg) == nil))
struct DrawingTests {
  @Test(
    "text of any script, and texts that make libraries complain, are no attacks",
    arguments: [
      "<text>ภาษาไทย ພາສາລາວ မြန်မာ ខ្មែរ</text>", "<text>العربية עברית हिन्दी 漢字 😀</text>",
      "<text font-size='-5'>a</text>", "<text font-size='1e5'>a</text>",
    ])
  func texts(_ text: String) throws {
    let sandbox = Sandboxes.service { $0.test.usesTestCoders = false }
    let coders = CoderRegistry.standard.isolated(by: sandbox)
    let drawing =
      "<svg xmlns='http://www.w3.org/2000/svg' width='64' height='64' viewBox='0 0 1000000 1000000'>\(text)</svg>"
    for _ in 0..<2 { #expect(try coders.decode(Data(drawing.utf8)).size == PixelSize(width: 64, height: 64)) }
    #expect(sandbox.statistics.violations == 0 && sandbox.statistics.crashes == 0)
  }

  @Test("a declaration that does not end is damage")
  func declaration() throws {
    let sandbox = Sandboxes.service { $0.test.usesTestCoders = false }
    let coders = CoderRegistry.standard.isolated(by: sandbox)
    let space = String(repeating: " ", count: 2000)
    let drawing =
      "<?xml version='1.0'\(space)encoding='SHIFT_JIS'?><svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'/>"
    let error = #expect(throws: ImagingError.self) {
      try coders.decode(Data(drawing.utf8), options: DecodeOptions(formatHint: .svg))
    }
    #expect(error?.code == "corrupt")
    #expect(sandbox.statistics.violations == 0)
  }
}
#endif
