import CalotypeImaging
import CalotypeResults
import FoundationEssentials
import Testing

@testable import CalotypeServing

/// Text as watermark.
@Suite("Markup")
struct MarkupTests {
  private func runs(_ text: String) throws -> [MarkupText.Run] { try MarkupText(text).lines.flatMap(\.self) }

  @Test func textHasTheStandardLook() throws {
    #expect(
      try runs("© A & B".replacing("&", with: "&amp;")) == [.init(text: "© A & B", style: MarkupStyle())])
    let text = try MarkupText("a\nb\r\n\rc &lt;&gt;&quot;&apos;&#65;&#x42;")
    #expect(text.lines.map { $0.map(\.text).joined() } == ["a", "b", "", "c <>\"'AB"])
  }

  @Test func elementsChangeTheLook() throws {
    let found = try runs(
      "<b>a<i>b</i></b><u>c</u><s>d</s><span foreground='#F00' size=\"20480\" font_weight=\"300\" style=\"oblique\">e</span>f"
    )
    #expect(found.map(\.text) == ["a", "b", "c", "d", "e", "f"])
    #expect(found.map(\.style.weight) == [700, 700, 400, 400, 300, 400])
    #expect(found.map(\.style.slope) == ["normal", "italic", "normal", "normal", "oblique", "normal"])
    #expect(found.map(\.style.isUnderlined) == [false, false, true, false, false, false])
    #expect(found.map(\.style.isStruck) == [false, false, false, true, false, false])
    #expect(found[4].style.color == "#f00" && found[4].style.size == 20)
    #expect(found[5].style == MarkupStyle())
    let scripts = try runs("x<sup>2<sup>3</sup></sup><sub>4</sub>")
    #expect(scripts.map { $0.style.size.rounded() } == [16, 11, 8, 11])
    #expect(scripts[1].style.rise > 0 && scripts[2].style.rise > scripts[1].style.rise)
    #expect(scripts[3].style.rise < 0)
    for (size, pixels) in [("x-large", 23.04), ("smaller", 13.33), ("12.5pt", 12.5), ("medium", 16)] {
      #expect(abs(try runs("<span size='\(size)'>a</span>")[0].style.size - pixels) < 0.01, "\(size)")
    }
  }

  @Test(arguments: [
    ("a & b", "&amp;"), ("a < b", "&lt;"), ("<tt>a</tt>", "<tt>"), ("<big>a</big>", "<big>"), ("<b>a", "<b>"),
    ("<b><i>a</b></i>", "</b>"), ("a</b>", "</b>"), ("<span font='Sans'>a</span>", "\"font\""),
    ("<span foreground='url(#a)'>a</span>", "url(#a)"),
    ("<span foreground='red\" onload=\"'>a</span>", "onload"),
    ("<span size='1e9'>a</span>", "1e9"), ("<span size='0'>a</span>", "\"0\""),
    ("<span size='999pt'>a</span>", "999pt"), ("<span font_weight='5000'>a</span>", "5000"),
    ("<span font_style='bent'>a</span>", "bent"), ("<b foreground='red'>a</b>", "foreground"),
    ("<span size='12pt' size='13pt'>a</span>", "twice"), ("<span size=12>a</span>", "quotes"),
    ("<span size='12>a</span>", "does not end"), ("<span size='12pt'", "<span>"), ("&nbsp;", "&nbsp;"),
    ("&#0;", "U+0"), ("&#xD800;", "&#xD800;"), ("a\u{7}", "U+7"), ("\u{202E}a", "U+202E"), ("", "empty"),
    (" \n ", "empty"), ("<!-- a -->", "element"), ("<![CDATA[a]]>", "element"),
  ])
  func restIsRefusedByName(_ text: String, _ name: String) throws {
    let error = try #require(throws: MarkupError.self) { try MarkupText(text) }
    #expect(error.description.contains(name), "\(error)")
  }

  @Test func lengthIsBounded() throws {
    #expect(throws: Never.self) { try MarkupText(String(repeating: "a", count: 2000)) }
    for text in [
      String(repeating: "a", count: 2001), "a" + String(repeating: "\n", count: 50),
      String(repeating: "<b>", count: 33) + "a" + String(repeating: "</b>", count: 33),
    ] {
      #expect(throws: MarkupError.self) { try MarkupText(text) }
    }
  }

  @Test func textIsEscaped() throws {
    let drawing = MarkupDrawing(try MarkupText("&lt;/text&gt;&lt;script/&gt;&amp;lt;\"'"))
    let svg = drawing.svg(PixelSize(width: 10, height: 10), margin: 1)
    #expect(svg.contains(">&lt;/text&gt;&lt;script/&gt;&amp;lt;\"'</tspan></text></svg>"))
  }

  /// Without the coder, which needs a sandbox, the failure says so.
  @Test func withoutDrawingsItIsRefused() throws {
    let error = try #require(throws: Failure.self) {
      try MarkupDrawing(try MarkupText("a")).bitmap(coders: .standard)
    }
    #expect(error.reason == .unwritableFormat && error.detail.contains("SANDBOX"))
    #expect(ErrorTable.status(of: error) == 422)
  }

  @Test func inkIsFound() throws {
    var bytes = [UInt8](repeating: 0, count: 10 * 8 * 4)
    let blank = try Bitmap(rgba: bytes, width: 10, height: 8)
    #expect(InkBox(blank) == nil)
    bytes[(2 * 10 + 3) * 4 + 3] = 1
    bytes[(5 * 10 + 6) * 4 + 3] = 9
    let box = try #require(InkBox(try Bitmap(rgba: bytes, width: 10, height: 8)))
    #expect(box.left == 3 && box.top == 2 && box.size == PixelSize(width: 4, height: 4))
    #expect(!box.touchesEdge(of: blank.size))
    #expect(box.touchesEdge(of: PixelSize(width: 7, height: 8)))
    #expect(box.touchesEdge(of: PixelSize(width: 10, height: 6)))
  }
}
