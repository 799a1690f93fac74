import FoundationEssentials
import Testing

/// What the fuzz target compares, for the pictures of the corpus as they are and damaged.
@Suite("Huffman codes of JPEG")
struct JPEGCodesTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "Fixtures/Corpus/jpeg")

  private static func files() throws -> [Data] {
    let names = try FileManager.default.subpathsOfDirectory(atPath: folder.path).sorted()
    return try names.filter { $0.hasSuffix(".jpg") }.map { try Data(contentsOf: folder.appending(path: $0)) }
  }

  @Test("sound and damaged files: the library's coefficients, at every size, in windows of every size")
  func sameAsTheLibrary() throws {
    var compared = 0
    for data in try Self.files() {
      for denominator in [1, 2, 4, 8] {
        for window in [1, 7, 997, data.count] {
          let windows = JPEGCodesTarget.Windows(ours: window, library: 48)
          if try JPEGCodesTarget.compare(data, denominator: denominator, windows: windows) { compared += 1 }
        }
      }
    }
    #expect(compared > 500)
  }

  @Test("bytes that were changed or cut off: the same again")
  func damaged() throws {
    var random = SystemRandomNumberGenerator()
    var compared = 0
    for data in try Self.files() where data.count > 64 {
      for _ in 0..<40 {
        var damaged = Array(data)
        for _ in 0..<Int.random(in: 1...5, using: &random) {
          let place = Int.random(in: 0..<damaged.count, using: &random)
          damaged[place] = Bool.random(using: &random) ? 0xFF : .random(in: 0...255, using: &random)
        }
        if Bool.random(using: &random) { damaged.removeLast(.random(in: 0..<damaged.count, using: &random)) }
        damaged += [16, .random(in: 0...255, using: &random), .random(in: 0...255, using: &random)]
        let input = damaged.withUnsafeBytes { FuzzInput($0) }
        do {
          try JPEGCodesTarget.run(input)
          compared += 1
        } catch {
          Issue.record("\(error): \(Data(damaged).base64EncodedString())")
        }
      }
    }
    #expect(compared > 500)
  }

  @Test("means that grow beyond what an integer holds wrap, whatever has arrived")
  func wraps() throws {
    let (width, height) = (2048, 2112)
    let data = Self.extremes(falling: 65_538, width: width, height: height)
    for window in [1, 16, data.count] {
      let windows = JPEGCodesTarget.Windows(ours: window, library: 48)
      #expect(
        try JPEGCodesTarget.compare(data, denominator: 8, windows: windows, maxPixels: width * height))
    }
  }

  /// A grey picture whose mean falls as fast as it can, and then rises so.
  private static func extremes(falling: Int, width: Int, height: Int) -> Data {
    func number(_ value: Int) -> [UInt8] { [UInt8(value >> 8), UInt8(value & 255)] }
    func codes(_ kind: UInt8, _ symbols: [UInt8]) -> [UInt8] {
      [0xFF, 0xC4] + number(19 + symbols.count) + [kind, 1, UInt8(symbols.count - 1)]
        + Array(repeating: 0, count: 14) + symbols
    }
    var file: [UInt8] = [0xFF, 0xD8, 0xFF, 0xDB] + number(67) + [0] + Array(repeating: 1, count: 64)
    file += [0xFF, 0xC0] + number(11) + [8] + number(height) + number(width) + [1, 1, 0x11, 0]
    // One code each: 0 is a difference of 15 bits, and the end of a block.
    file += codes(0, [15]) + codes(0x10, [0, 1]) + [0xFF, 0xDA] + number(8) + [1, 1, 0, 0, 63, 0]
    var (bits, count): (UInt32, Int) = (0, 0)
    for block in 0..<width / 8 * (height / 8) {
      bits = bits << 17 | (block < falling ? 0 : 0xFFFE)
      count += 17
      while count >= 8 {
        count -= 8
        file.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
        if file.last == 0xFF { file.append(0) }
      }
    }
    file.append(UInt8(truncatingIfNeeded: bits << UInt32(8 - count) | (1 << UInt32(8 - count)) - 1))
    return Data(file + [0xFF, 0xD9])
  }
}
