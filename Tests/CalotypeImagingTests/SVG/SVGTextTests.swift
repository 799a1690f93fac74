#if SVG
import FoundationEssentials
import Testing

@testable import CalotypeImaging

@Suite("SVG: the text before it is drawn")
struct SVGTextTests {
  private func text(_ bytes: [UInt8], _ limits: DecodeLimits = .default) throws(ImagingError) -> String {
    String(decoding: try SVGText(Data(bytes), limits: limits).bytes, as: UTF8.self)
  }

  private func code(_ text: String, _ limits: DecodeLimits = .default) -> String? {
    do throws(ImagingError) {
      _ = try self.text(Array(text.utf8), limits)
      return nil
    } catch {
      return error.code
    }
  }

  @Test("UTF-8, Latin 1 and UTF-16 become UTF-8 without a declaration")
  func encodings() throws {
    #expect(try text(Array("\u{FEFF}<svg>é</svg>".utf8)) == "<svg>é</svg>")
    #expect(try text(Array("<?xml version='1.0'?><svg>é</svg>".utf8)) == "<svg>é</svg>")
    #expect(try text(Array("<?xml version='1.0' encoding=\"UTF-8\" ?><svg/>".utf8)) == "<svg/>")
    let latin = Array("<?xml version='1.0' encoding='ISO-8859-1'?><svg>".utf8) + [0xE9]
    #expect(try text(latin) == "<svg>é")
    let wide = "<?xml version='1.0' encoding='UTF-16'?><svg>é漢</svg>".utf16
    #expect(try text(wide.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }) == "<svg>é漢</svg>")
    #expect(
      try text([0xFE, 0xFF] + wide.flatMap { [UInt8($0 >> 8), UInt8(truncatingIfNeeded: $0)] })
        == "<svg>é漢</svg>")
    #expect(code("<?xml version='1.0' encoding='koi8-r'?><svg/>") == "unsupportedFormat")
    #expect(try text([]) == "")
  }

  @Test("gzip files are inflated up to the limit")
  func compression() throws {
    let file = try Fixture.data("described/gen-base.svgz")
    let plain = try Fixture.data("described/gen-base.svg")
    #expect(try text(Array(file)) == String(decoding: plain, as: UTF8.self))
    #expect(try text(Array(file), DecodeLimits(maxTextBytes: plain.count)).utf8.count == plain.count)
    func expect(_ bytes: Data, _ limit: Int, _ code: String) {
      do throws(ImagingError) {
        _ = try text(Array(bytes), DecodeLimits(maxTextBytes: limit))
        Issue.record("accepted")
      } catch {
        #expect(error.code == code)
      }
    }
    expect(file, plain.count - 1, "limitExceeded")
    expect(file, 0, "limitExceeded")
    expect(plain, plain.count - 1, "limitExceeded")
    expect(file.dropLast(12), 1 << 20, "truncated")
    expect(file.prefix(5), 1 << 20, "truncated")
    expect(file.prefix(15) + Data(repeating: 0xFF, count: 40), 1 << 20, "corrupt")
  }

  @Test(
    "entities that drawing programs write are accepted",
    arguments: [
      "<!ENTITY ns 'http://www.w3.org/2000/svg'>", "<!ENTITY a \"x\"><!ENTITY b 'y'>",
      "<!-- <!ENTITY % a SYSTEM 'b'> --><!ELEMENT svg ANY>", "<?x <!ENTITY % a> ?>",
      "<!ATTLIST svg a CDATA '5%'>",
    ])
  func accepted(subset: String) {
    #expect(code("<!DOCTYPE svg [\(subset)]><svg>&ns;</svg>") == nil)
  }

  @Test(
    "others are refused",
    arguments: [
      "<!ENTITY a SYSTEM 'file:///etc/passwd'>", "<!ENTITY a PUBLIC 'x' 'y'>", "<!ENTITY % a 'b'>",
      "<!ENTITY a 'x'><!ENTITY b '&a;&a;'>", "<!ENTITY a '<rect/>'>", "<!ENTITY a '&#60;rect/>'>", "%a;",
      "<!ENTITY a \"%b;\">", "<!ENTITY a", "<!ENTITY",
    ])
  func refused(subset: String) {
    #expect(code("<!DOCTYPE svg [\(subset)]><svg/>") == "corrupt")
  }

  @Test("the replaced text counts")
  func expansion() {
    let entity = String(repeating: "x", count: 1000)
    let drawing = "<!DOCTYPE svg [<!ENTITY a '\(entity)'>]><svg>" + String(repeating: "&a;", count: 100)
    #expect(code(drawing, DecodeLimits(maxTextBytes: 200_000)) == nil)
    #expect(code(drawing, DecodeLimits(maxTextBytes: 100_000)) == "limitExceeded")
  }

  @Test("documents that include others are refused")
  func inclusion() {
    #expect(
      code("<svg xmlns:xi='http://www.w3.org/2001/XInclude'><xi:include/></svg>") == "unsupportedFormat")
  }
}
#endif
