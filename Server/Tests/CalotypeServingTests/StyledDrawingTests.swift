import CalotypeResults
import FoundationEssentials
import Testing

@testable import CalotypeServing

/// Style sheets in drawings.
@Suite("Styled drawings")
struct StyledDrawingTests {
  private func styled(_ drawing: String, _ style: String = "a{b:c}") throws -> String {
    String(decoding: try StyledDrawing(Data(drawing.utf8), style: style).data, as: UTF8.self)
  }

  private static let sheet = "<style type=\"text/css\">a{b:c}</style>"

  @Test(arguments: [
    ("<svg>", "<a/></svg>"), ("<svg width=\"1\" a='>\"/'>", "</svg>"),
    ("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!-- <svg> --><?a <svg>?>\n<svg\n>", "</svg>"),
    ("\u{FEFF}<!DOCTYPE svg [<!ENTITY a \"<svg>]>\"><!-- ' ]> --><?p ]> ?>]>\n<svg>", "é</svg>"),
    ("<!DOCTYPE svg PUBLIC \"-//W3C//DTD SVG 1.1//EN\" 'http://a/>'><svg>", "</svg>"),
  ])
  func sheetsStandInFront(_ head: String, _ tail: String) throws {
    #expect(try styled(head + tail) == head + Self.sheet + tail)
  }

  @Test func rootsWithoutContentAndWithPrefixes() throws {
    #expect(try styled("<svg width='1'/><!-- -->") == "<svg width='1'>" + Self.sheet + "</svg><!-- -->")
    #expect(
      try styled("<s:svg xmlns:s='http://www.w3.org/2000/svg'><s:g/></s:svg>")
        == "<s:svg xmlns:s='http://www.w3.org/2000/svg'><s:style type=\"text/css\">a{b:c}</s:style><s:g/></s:svg>"
    )
  }

  /// Any sheet is text.
  @Test(arguments: [
    ("</style><script/>", "&lt;/style&gt;&lt;script/&gt;"), ("]]>", "]]&gt;"),
    ("<![CDATA[", "&lt;![CDATA["), ("&a;&#60;", "&amp;a;&amp;#60;"), ("a > b {}\n", "a &gt; b {}\n"),
    ("<!--", "&lt;!--"),
  ])
  func sheetsCannotEnd(_ style: String, _ escaped: String) throws {
    #expect(try styled("<svg></svg>", style) == "<svg><style type=\"text/css\">\(escaped)</style></svg>")
  }

  @Test(arguments: [
    Data([0x1F, 0x8B, 8, 0]), Data([0xFF, 0xFE, 0x3C, 0]), Data([0x3C, 0, 0x73, 0]),
    Data("<svg>\u{0}</svg>".utf8),
    Data("<svg>".utf8) + [0xE9], Data("<?xml version='1.0' encoding='ISO-8859-1'?><svg/>".utf8),
    Data("<?xml version='1.0' encoding=''?><svg/>".utf8), Data("".utf8), Data("<!-- <svg>".utf8),
    Data("<!DOCTYPE svg [ <svg>".utf8), Data("<svg a='>".utf8), Data("<svg <a>".utf8),
    Data("text <svg>".utf8),
  ])
  func otherDrawingsAreRefused(_ drawing: Data) throws {
    let error = try #require(throws: Failure.self) { try StyledDrawing(drawing, style: "a{}") }
    #expect(ErrorTable.status(of: error) == 422)
  }

  @Test func sheetsWithControlCharactersAreRefused() throws {
    #expect(throws: Failure.self) { try styled("<svg/>", "a\u{1}") }
  }
}
