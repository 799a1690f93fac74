import FoundationEssentials
import Testing

@testable import CalotypeImaging

@Suite("SVG: recognition and size")
struct SVGTests {
  private static let space = "xmlns=\"http://www.w3.org/2000/svg\""

  private func size(_ attributes: String) throws -> PixelSize {
    let info = try CoderRegistry.standard.probe(Data("<svg \(Self.space) \(attributes)/>".utf8))
    #expect(info.isVector && info.format == .svg && info.hasAlpha)
    return info.size
  }

  @Test(
    "the root element behind everything that may come before it",
    arguments: [
      "<svg xmlns='http://www.w3.org/2000/svg'>", "<svg>", "<svg\n>", "\u{FEFF} \r\n<svg/>",
      "<?xml version=\"1.0\"?>\n<!-- <html> --><svg>", "<!DOCTYPE svg><svg>",
      "<!DOCTYPE svg PUBLIC \"-//W3C//DTD SVG 1.1//EN\" \"a>b\"><svg>",
      "<!DOCTYPE svg [<!ENTITY a \"]>\"> <!-- ' --> <?x ]> ?>]><svg>",
      "<s:svg xmlns:s=\"http://www.w3.org/2000/svg\">",
      "<!DOCTYPE svg [<!ENTITY ns \"http://www.w3.org/2000/svg\">]><svg xmlns=\"&ns;\">",
    ])
  func recognised(text: String) {
    #expect(ImageFormat.sniff(Data(text.utf8)) == .svg)
    for order in [false, true] {
      let mark: [UInt8] = order ? [0xFE, 0xFF] : [0xFF, 0xFE]
      let units = text.drop { $0 == "\u{FEFF}" }.utf16.flatMap { unit -> [UInt8] in
        let bytes = [UInt8(unit >> 8), UInt8(truncatingIfNeeded: unit)]
        return order ? bytes : bytes.reversed()
      }
      #expect(ImageFormat.sniff(Data(mark + units)) == .svg)
    }
    // Before the end of the start tag there is no decision, and it stays once made.
    let bytes = Data(text.utf8)
    for count in 0..<bytes.count {
      #expect([nil, .svg].contains(ImageFormat.sniff(bytes.prefix(count))))
    }
  }

  @Test(
    "other texts",
    arguments: [
      "<html><svg></html>", "<?xml version=\"1.0\"?><rss/>", "<svgx>", "<svg xmlns=\"http://example.org/\">",
      "<s:svg>", "svg", "<!DOCTYPE html><svg>x", "<svg =>", "<1svg>", "text <svg>", "<!-- <svg> -->",
      "<s:svg xmlns:s=\"other\">",
    ])
  func other(text: String) {
    // A document type says nothing about the root element.
    let isDrawing = text.hasPrefix("<!DOCTYPE html>")
    #expect(ImageFormat.sniff(Data(text.utf8)) == (isDrawing ? .svg : nil))
  }

  @Test("the root element is looked for in the first 4 KiB, and pages are told at once")
  func window() throws {
    let comment = { (count: Int) in "<!--" + String(repeating: "x", count: count) + "-->" }
    #expect(ImageFormat.sniff(Data((comment(4000) + "<svg>").utf8)) == .svg)
    #expect(ImageFormat.sniff(Data((comment(4090) + "<svg>").utf8)) == nil)
    let late = Data((comment(3000) + "<svg \(Self.space) width='8' height='9'>").utf8)
    #expect(try CoderRegistry.standard.probe(late).size == PixelSize(width: 8, height: 9))
    #expect(try CoderRegistry.standard.header(of: late.prefix(1200)) == nil)
    #expect(ImageFormat.sniffLength(of: late) == ImageFormat.textSniffLength)
    let page = Data(("<!DOCTYPE html><html>" + String(repeating: " ", count: 2000)).utf8)
    #expect(ImageFormat.sniffLength(of: page) == ImageFormat.sniffLength)
    let decoder = CoderRegistry.standard.makeIncrementalDecoder()
    #expect(throws: ImagingError.unrecognizedFormat(hint: "an HTML page")) {
      try decoder.append(page.prefix(1100))
    }
    // A start tag that is longer than that.
    let long = "<svg \(Self.space) data='" + String(repeating: "y", count: 9000) + "' width='5' height='6'>"
    #expect(try CoderRegistry.standard.probe(Data(long.utf8)).size == PixelSize(width: 5, height: 6))
    let endless = "<svg \(Self.space) data='" + String(repeating: "y", count: 70_000)
    #expect(throws: ImagingError.self) { try CoderRegistry.standard.probe(Data(endless.utf8)) }
  }

  @Test("sizes in all units, rounded, and by the viewBox")
  func sizes() throws {
    #expect(try size("width='10.4' height='20.5'") == PixelSize(width: 10, height: 21))
    #expect(try size("width='254mm' height='2.54cm'") == PixelSize(width: 960, height: 96))
    #expect(try size("width='1in' height='72pt'") == PixelSize(width: 96, height: 96))
    #expect(try size("width='2pc' height=' 7px '") == PixelSize(width: 32, height: 7))
    #expect(try size("width='1e2' height='+.5E1'") == PixelSize(width: 100, height: 5))
    #expect(try size("width='2em' height='2ex'") == PixelSize(width: 32, height: 16))
    #expect(try size("viewBox='0 0 64,48'") == PixelSize(width: 64, height: 48))
    #expect(try size("width='100%' height='50%' viewBox='0 0 64 48'") == PixelSize(width: 64, height: 24))
    #expect(try size("width='32' viewBox='0 0 64 48'") == PixelSize(width: 32, height: 24))
    #expect(try size("height='24' viewBox='0 0 64 48' width='auto'") == PixelSize(width: 32, height: 24))
    #expect(try size("width='0.2' height='0.3'") == PixelSize(width: 1, height: 1))
    #expect(try size("") == PixelSize(width: 300, height: 150))
    // A share of nothing is no size.
    #expect(try size("width='100%' height='100%'") == PixelSize(width: 300, height: 150))
    #expect(try size("width='100%' height='5'") == PixelSize(width: 300, height: 5))
  }

  @Test(
    "sizes that make no sense",
    arguments: [
      "width='0' height='5'", "width='-1' height='5'", "width='nan' height='5'", "width='inf' height='5'",
      "width='1furlong' height='5'", "width='' height='5'", "width='10 p x' height='5'",
      "width='1e999' height='5'",
    ])
  func badSizes(attributes: String) {
    do throws(ImagingError) {
      _ = try CoderRegistry.standard.probe(Data("<svg \(attributes)>".utf8))
      Issue.record("accepted")
    } catch {
      #expect(error.code == "corrupt")
    }
  }

  @Test("sizes beyond the limits")
  func limits() {
    for attributes in [
      "width='65535' height='65535'", "width='1e300' height='1e300'", "width='100in' height='200in'",
    ] {
      do throws(ImagingError) {
        _ = try CoderRegistry.standard.probe(Data("<svg \(attributes)>".utf8))
        Issue.record("accepted")
      } catch {
        #expect(error.code == "limitExceeded")
      }
    }
  }

  @Test("every prefix is answered")
  func prefixes() throws {
    let data = Data(
      "<?xml version='1.0'?><!DOCTYPE svg [<!ENTITY a 'b'>]><svg \(Self.space) width='4' height='3'>".utf8)
    for count in 0..<data.count {
      _ = try? CoderRegistry.standard.probe(data.prefix(count))
      #expect(try SVGDescriber().header(of: Data([0x20]) + data.prefix(count), limits: .default) == nil)
    }
    #expect(
      try SVGDescriber().header(of: data, limits: .default)?.info.size == PixelSize(width: 4, height: 3))
  }
}
