import FoundationEssentials
import Testing

@testable import CalotypeImaging

@Suite("TIFF: directories")
struct TIFFDirectoryTests {
  private typealias Entry = TIFFBuilder.Entry

  private func code(_ data: Data, limits: DecodeLimits = .default) -> String? {
    do throws(ImagingError) {
      _ = try CoderRegistry.standard.probe(data, limits: limits)
      return nil
    } catch {
      return error.code
    }
  }

  private func pages(_ data: Data) throws -> TIFFPages? {
    try TIFFPages(data.bytes, isWhole: true, limits: .default)
  }

  private func code(_ others: Entry...) -> String? {
    code(
      TIFFBuilder().file([
        TIFFBuilder.page.filter { entry in !others.contains { $0.tag == entry.tag } } + others
      ]))
  }

  @Test("a page in both byte orders, classic and big", arguments: [false, true], [false, true])
  func page(isBigEndian: Bool, isBig: Bool) throws {
    let builder = TIFFBuilder(isBigEndian: isBigEndian, isBig: isBig)
    let entries = TIFFBuilder.page(Entry(274, 6, type: 3), Entry(277, 4, type: 3), Entry(338, 2, type: 3))
    let info = try CoderRegistry.standard.probe(builder.file([entries]))
    #expect(
      info
        == ImageInfo(
          format: .tiff, size: PixelSize(width: 16, height: 12), hasAlpha: true, orientation: .rightTop))
    #expect(try TIFFDescriber().header(of: builder.file([entries]), limits: .default)?.info == info)
  }

  @Test("pages are counted, and are no frames")
  func pages() throws {
    let data = TIFFBuilder().file([[Entry]](repeating: TIFFBuilder.page, count: 5))
    let info = try CoderRegistry.standard.probe(data)
    #expect(info.pageCount == 5 && info.frameCount == 1 && !info.isDamaged)
    #expect(code(data, limits: DecodeLimits(maxPages: 4)) == "limitExceeded")
  }

  @Test("a limit may be any number, and fields of unknown types are skipped")
  func oddities() throws {
    let data = TIFFBuilder().file([TIFFBuilder.page(Entry(330, [8, 8]))])
    #expect(code(data, limits: DecodeLimits(maxPages: .max)) == nil)
    #expect(code(data, limits: DecodeLimits(maxPages: .min)) == "limitExceeded")
    let unknown = TIFFBuilder().file([TIFFBuilder.page(Entry(284, 0, type: 99))])
    #expect(code(unknown) == nil)
  }

  @Test("chains that return or leave the file end there")
  func chains() throws {
    let pages = [TIFFBuilder.page, TIFFBuilder.page]
    for next in [8, 1 << 20, 0xFFFF_FFFF] {
      let info = try CoderRegistry.standard.probe(TIFFBuilder().file(pages, next: next))
      #expect(info.pageCount == 2 && info.isDamaged, "\(next)")
    }
    let own = try CoderRegistry.standard.probe(TIFFBuilder().file([TIFFBuilder.page], next: 8))
    #expect(own.pageCount == 1)
  }

  @Test("tiles, planes and the pieces that are announced")
  func pieces() throws {
    let tiles = [Entry(322, 16), Entry(323, 16), Entry(324, [8]), Entry(325, [768])]
    let page = TIFFBuilder.page.filter { ![273, 278, 279].contains($0.tag) } + tiles
    #expect(code(TIFFBuilder().file([page])) == nil)
    let pages = try #require(try self.pages(TIFFBuilder().file([page])))
    #expect(pages.first.layout == .tiles(PixelSize(width: 16, height: 16)) && pages.first.pieceCount == 1)
    #expect(code(Entry(284, 2, type: 3)) == "corrupt", "one strip for three planes")
    #expect(code(Entry(278, 5)) == "corrupt", "one strip of 5 rows")
    #expect(code(Entry(278, 5), Entry(273, [8, 9, 10]), Entry(279, [1, 1, 1])) == nil)
    #expect(code(Entry(278, 0)) == "corrupt", "strips without rows")
    #expect(code(Entry(273, [8], count: 2_147_483_647)) == nil, "the first value is in the entry")
    #expect(code(Entry(322, 0), Entry(323, 16)) == "corrupt", "tiles without width")
    #expect(code(Entry(322, 16)) == "corrupt", "tiles without height")
    #expect(code(Entry(322, 1 << 20), Entry(323, 1 << 20)) == "limitExceeded")
    #expect(code(Entry(322, 0xFFFF_FFFF), Entry(323, 0xFFFF_FFFF)) == "limitExceeded")
  }

  @Test("numbers that make no sense")
  func numbers() {
    #expect(code(Entry(256, 0)) == "corrupt")
    #expect(code(Entry(256, 65_535), Entry(257, 65_535)) == "limitExceeded")
    #expect(code(Entry(256, 0xFFFF_FFFF), Entry(257, 0xFFFF_FFFF)) == "limitExceeded")
    #expect(code(Entry(258, 0, type: 3)) == "corrupt")
    #expect(code(Entry(258, 65, type: 3)) == "corrupt")
    #expect(code(Entry(277, 0, type: 3)) == "corrupt")
    #expect(code(Entry(277, 303_169_682)) == "corrupt")
    #expect(code(Entry(274, 9, type: 3)) == nil)
    #expect(code(Entry(270, [1], type: 2, count: 1 << 30)) == nil, "a text outside of the file")
    #expect(
      code(Entry(34675, [1, 2, 3, 4, 5], type: 7, count: 1 << 30)) == nil, "a profile outside of the file")
    #expect(code(TIFFBuilder().file([[Entry(256, 16)]])) == "corrupt", "no height")
    #expect(code(Entry(256, [16], type: 5)) == "corrupt", "a width that is no whole number")
  }

  @Test("subordinate directories are versions, not pages")
  func subDirectories() throws {
    let data = TIFFBuilder().file([TIFFBuilder.page(Entry(330, [8, 1 << 30, 100]))])
    let pages = try #require(try self.pages(data))
    #expect(pages.count == 1 && pages.overviewCount == 1)
  }

  @Test("headers that end early, and directories nowhere")
  func headers() {
    let data = TIFFBuilder().file([TIFFBuilder.page])
    #expect(code(data.prefix(30)) == "truncated")
    var huge = TIFFBuilder(isBig: true).file([TIFFBuilder.page])
    huge[15] = 0x80
    #expect(code(huge) == "truncated")
    var many = data
    many[8] = 0xFF
    many[9] = 0xFF
    #expect(code(many) == "truncated", "65,535 entries")
  }

  @Test("each prefix, and each byte changed, is answered")
  func robustness() throws {
    for isBig in [false, true] {
      let data = TIFFBuilder(isBig: isBig).file([TIFFBuilder.page, TIFFBuilder.page])
      let whole = try CoderRegistry.standard.probe(data)
      for count in 0...data.count {
        _ = code(data.prefix(count))
        if let header = try TIFFDescriber().header(of: data.prefix(count), limits: .default) {
          #expect(header.info == whole)
        }
      }
      for index in data.indices {
        for value in [0, 1, 0x7F, 0xFF] as [UInt8] {
          var changed = data
          changed[index] = value
          _ = code(changed)
        }
      }
    }
  }
}
