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
}
