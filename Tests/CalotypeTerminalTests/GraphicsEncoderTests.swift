import Calotype
import CalotypeTestKit
import FoundationEssentials
import TerminalScreens
import Testing

@testable import CalotypeTerminal

/// Pictures as bytes for a terminal, against decoders that were written from the descriptions of the protocols.
@Suite("Terminal graphics: encoders", .timeLimit(.minutes(5)))
struct GraphicsEncoderTests {
  private static func pixels(_ bitmap: Bitmap) -> [UInt32] {
    bitmap.withUnsafeBytes { bytes in
      stride(from: 0, to: bytes.count, by: 4).map {
        UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: $0, as: UInt32.self))
      }
    }
  }

  /// A picture with a clear hole, of few colours.
  private static func hole(_ width: Int, _ height: Int) throws -> Bitmap {
    try Bitmap(size: PixelSize(width: width, height: height)) { target in
      for index in 0..<(width * height) {
        let (x, y) = (index % width, index / width)
        let isClear = (x / 3 + y / 4).isMultiple(of: 3)
        let color: [UInt8] =
          isClear ? [0, 0, 0, 0] : [x.isMultiple(of: 2) ? 255 : 0, 51, y < 5 ? 204 : 0, 255]
        for channel in 0..<4 { target[4 * index + channel] = color[channel] }
      }
      return false
    }
  }

  private static func photo(_ width: Int, _ height: Int) throws -> Bitmap {
    var options = DecodeOptions()
    options.thumbnail = .stretch(width: width, height: height)
    return try CoderRegistry.standard.decode(try Photos.data("dandelion.jpg"), options: options).bitmap
  }

  private static func string(_ bytes: [UInt8]) -> [UInt8] {
    Array(bytes.dropFirst(2).dropLast(2))
  }

  // MARK: Sixel

  @Test(
    "sixels give back every pixel of few colours, clear ones too",
    arguments: [(1, 1), (7, 6), (31, 23), (300, 13)])
  func sixelExact(width: Int, height: Int) throws {
    let picture = try Self.hole(width, height)
    let bytes = try Sixel.encode(picture)
    #expect(bytes.starts(with: [0x1B, UInt8(ascii: "P")]) && bytes.suffix(2) == [0x1B, UInt8(ascii: "\\")])
    let decoded = try SixelDecoder(Self.string(bytes))
    #expect(decoded.width == width && decoded.height == height && decoded.keepsBackground)
    #expect(decoded.bandCount == (height + 5) / 6)
    // 0, 51, 204 and 255 are whole percents.
    #expect(decoded.pixels == Self.pixels(picture))
  }

  @Test("sixels of a photo are near to it, and with dithering right on the whole", arguments: [false, true])
  func sixelPhoto(dithers: Bool) throws {
    let picture = try Self.photo(160, 90)
    let decoded = try SixelDecoder(Self.string(try Sixel.encode(picture, dithers: dithers)))
    #expect(decoded.colors.count <= 256 && decoded.colors.count > 200)
    #expect(decoded.pixels.allSatisfy { $0 >> 24 == 255 })
    let source = Self.pixels(picture)
    var (square, sums) = (0.0, [0.0, 0.0, 0.0])
    for (one, other) in zip(source, decoded.pixels) {
      for channel in 0..<3 {
        let shift = UInt32(8 * channel)
        let miss = Double(one >> shift & 255) - Double(other >> shift & 255)
        square += miss * miss
        sums[channel] += miss
      }
    }
    let count = Double(source.count)
    let error = (square / count / 3).squareRoot()
    #expect(error < (dithers ? 9 : 7), "\(error)")
    #expect(sums.allSatisfy { abs($0 / count) < 1 }, "\(sums.map { $0 / count })")
  }

  @Test("long runs of sixels are short")
  func sixelRuns() throws {
    let picture = try SampleImages.bitmap(width: 500, height: 60, color: .white)
    let bytes = try Sixel.encode(picture)
    #expect(bytes.count < 150, "\(bytes.count)")
    let clear = try Sixel.encode(try SampleImages.bitmap(width: 500, height: 60, color: .clear))
    #expect(try SixelDecoder(Self.string(clear)).pixels.allSatisfy { $0 == 0 })
  }

  // MARK: kitty

  @Test("kitty's chunks give back every pixel", arguments: [(1, 1), (40, 30), (301, 97)])
  func kitty(width: Int, height: Int) throws {
    for picture in [try Self.hole(width, height), try Self.photo(width, height)] {
      var screen = PictureScreen(columns: 80, rows: 24)
      let commands = KittyGraphics.transmit(picture, id: 77, columns: 9, rows: 4)
      for command in commands { screen.write(command) }
      #expect(screen.faults.isEmpty, "\(screen.faults)")
      let shown = try #require(screen.pictures[77])
      #expect(shown.width == width && shown.height == height)
      #expect(shown.pixels == Self.pixels(picture))
      #expect(
        screen.placements[77]
          == PictureScreen.Placement(column: 0, row: 0, columns: 9, rows: 4, isVirtual: false))
      screen.write(KittyGraphics.delete(id: 77))
      #expect(screen.pictures.isEmpty && screen.placements.isEmpty && screen.faults.isEmpty)
    }
  }

  @Test("tmux hands commands on whose escapes are doubled")
  func passthrough() {
    let wrapped = Multiplexer.tmux.passthrough("\u{1B}_Ga=d\u{1B}\\")
    #expect(wrapped == Array("\u{1B}Ptmux;\u{1B}\u{1B}_Ga=d\u{1B}\u{1B}\\\u{1B}\\".utf8))
    #expect(Multiplexer.none.passthrough("\u{1B}[c") == Array("\u{1B}[c".utf8))
  }

  @Test("placeholders name picture, row and column by colour and marks")
  func placeholders() throws {
    #expect(KittyPlaceholder.limit == 297)
    #expect(KittyPlaceholder.marks.allSatisfy { $0.properties.canonicalCombiningClass.rawValue == 230 })
    let id = KittyPlaceholder.id(123_456)
    #expect(id & 0x00FF_FF00 == 0 && id & 255 > 0 && id >> 24 > 0)
    #expect(Set((0..<1000).map(KittyPlaceholder.id)).count == 1000)
    var screen = PictureScreen(columns: 80, rows: 24)
    screen.write(KittyPlaceholder.row(3, columns: 5, id: id))
    for column in 0..<5 {
      let cell = screen.cells[0][column]
      #expect(cell.scalar == "\u{10EEEE}" && cell.foreground == 0x0100_0000 | id & 255)
      #expect(
        cell.marks.map { KittyPlaceholder.marks.firstIndex(of: $0) } == [3, column, Int(id >> 24)])
    }
    #expect(screen.cells[0][5] == PictureScreen.Cell())
  }

  // MARK: Inline images

  @Test("inline images are files that can be decoded, small ones and transparent ones exactly")
  func inlineImage() throws {
    for (picture, format) in [
      (try Self.hole(50, 40), ImageFormat.png), (try Self.photo(40, 30), .png),
      (try Self.photo(200, 100), .jpeg),
    ] {
      let bytes = try InlineImage.show(picture, columns: 20, rows: 10)
      let text = String(decoding: bytes, as: UTF8.self)
      let parts = text.dropFirst(2).dropLast().split(separator: ":")
      #expect(text.hasPrefix("\u{1B}]1337;File=inline=1;") && text.hasSuffix("\u{7}"))
      #expect(parts[0].contains(";width=20;height=10;"))
      let file = try #require(Data(base64Encoded: String(parts[1])))
      #expect(parts[0].contains(";size=\(file.count);"))
      let decoded = try CoderRegistry.standard.decode(file)
      #expect(decoded.info?.format == format && decoded.bitmap.size == picture.size)
      if format == .png { #expect(Self.pixels(decoded.bitmap) == Self.pixels(picture)) }
    }
  }

  // MARK: Half blocks

  @Test("half blocks give back every pixel", arguments: [(1, 1), (6, 7), (80, 40)])
  func halfBlocks(width: Int, height: Int) throws {
    for picture in [try Self.hole(width, height), try Self.photo(width, height)] {
      var screen = PictureScreen(columns: 80, rows: 24)
      let rows = HalfBlocks.rows(of: picture)
      #expect(rows.count == (height + 1) / 2)
      for row in rows {
        screen.write(row + Array("\r\n".utf8))
        #expect(screen.hasPlainPen)
      }
      #expect(screen.faults.isEmpty, "\(screen.faults)")
      var expected = Self.pixels(picture)
      if !height.isMultiple(of: 2) { expected += [UInt32](repeating: 0, count: width) }
      #expect(screen.blocks(columns: width, rows: rows.count) == expected)
    }
  }

  @Test("attributes are only written when they change")
  func attributes() throws {
    let white = try SampleImages.bitmap(width: 60, height: 2, color: .white)
    #expect(
      HalfBlocks.rows(of: white)
        == [Array(("\u{1B}[48;2;255;255;255m" + String(repeating: " ", count: 60) + "\u{1B}[0m").utf8)])
    let clear = try SampleImages.bitmap(width: 5, height: 2, color: .clear)
    #expect(HalfBlocks.rows(of: clear) == [Array("     ".utf8)])
    // White over black beside black over white: the colours stay, the character changes.
    let checks = try Bitmap(size: PixelSize(width: 2, height: 2)) { target in
      for (index, value) in [255, 0, 0, 255].enumerated() {
        for channel in 0..<3 { target[4 * index + channel] = UInt8(value) }
        target[4 * index + 3] = 255
      }
      return true
    }
    #expect(
      HalfBlocks.rows(of: checks)
        == [Array("\u{1B}[38;2;255;255;255;48;2;0;0;0m▀▄\u{1B}[0m".utf8)])
  }

  @Test("of 256 colours the nearest is taken")
  func indexed() {
    let levels = [0, 95, 135, 175, 215, 255]
    let table = (16..<256).map { index -> [Int] in
      if index >= 232 { return [Int](repeating: 8 + 10 * (index - 232), count: 3) }
      let cube = index - 16
      return [levels[cube / 36], levels[cube / 6 % 6], levels[cube % 6]]
    }
    func distance(_ a: [Int], _ b: [Int]) -> Int {
      zip(a, b).reduce(0) { $0 + ($1.0 - $1.1) * ($1.0 - $1.1) }
    }
    for number in stride(from: 0, through: 0xFF_FFFF, by: 1777) {
      let color = [number >> 16, number >> 8 & 255, number & 255]
      let index = XtermColor.index(red: UInt8(color[0]), green: UInt8(color[1]), blue: UInt8(color[2]))
      let least = table.map { distance($0, color) }.min()
      #expect(distance(table[Int(index) - 16], color) == least, "\(color) \(index)")
    }
    for index in 16..<256 {
      let color = table[index - 16]
      let found = XtermColor.index(red: UInt8(color[0]), green: UInt8(color[1]), blue: UInt8(color[2]))
      #expect(table[Int(found) - 16] == color)
    }
  }
}
