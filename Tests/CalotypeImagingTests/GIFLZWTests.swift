import FoundationEssentials
import Testing

@testable import CalotypeImaging

/// Corner cases of the code stream. With a code size of 2, 4 clears, 5 ends, and codes start with 3 bits.
@Suite struct GIFLZWTests {
  private func pixels(
    _ count: Int, codeSize: UInt8 = 2, blockLength: Int = 255, tolerated: Bool = false,
    _ codes: [(Int, Int)]
  ) throws(ImagingError) -> String {
    var gif = GIFBuilder(width: count, height: 1)
    gif.frame(width: count, height: 1, codeSize: codeSize, codes: codes, blockLength: blockLength)
    return try GIFDecoder().decode(
      gif.data, minimumSize: nil, options: DecodeOptions(damage: tolerated ? .tolerate : .strict)
    ).bitmap.letters
  }

  @Test func startsWithoutAClearCode() throws {
    #expect(try pixels(2, [(0, 3), (1, 3), (5, 3)]) == "RG")
  }

  @Test func toleratesRepeatedClearCodes() throws {
    #expect(try pixels(2, [(4, 3), (4, 3), (0, 3), (4, 3), (4, 3), (1, 3), (5, 3)]) == "RG")
  }

  @Test func needsNoEndCode() throws {
    #expect(try pixels(2, [(4, 3), (0, 3), (1, 3)]) == "RG")
  }

  @Test func ignoresWhatFollowsTheLastPixel() throws {
    // Good codes, and one that nothing defines.
    #expect(try pixels(2, [(4, 3), (0, 3), (1, 3), (2, 3), (7, 4)]) == "RG")
    #expect(try pixels(2, [(4, 3), (0, 3), (1, 3), (15, 4), (15, 4)]) == "RG")
  }

  @Test func readsAStringThatItsOwnCodeAdds() throws {
    // 6 is added by reading it: the previous string and its own first pixel; then 7 likewise.
    #expect(try pixels(6, [(4, 3), (1, 3), (6, 3), (7, 3), (5, 4)]) == "GGGGGG")
  }

  @Test func cutsAStringAtTheLastPixel() throws {
    #expect(try pixels(5, [(4, 3), (1, 3), (6, 3), (7, 3), (5, 4)]) == "GGGGG")
    #expect(try pixels(2, [(4, 3), (1, 3), (6, 3)]) == "GG")
  }

  @Test func widensAfterTheFirstCodeWhenTheCodeSizeIsOne() throws {
    // Clear is 2, end is 3, the first string is 4: it needs 3 bits at once.
    #expect(try pixels(4, codeSize: 1, [(2, 2), (0, 2), (1, 3), (4, 3), (3, 3)]) == "RGRG")
  }

  @Test func repeatsStringsLongerThanACopyStep() throws {
    // Each code is the string before it, longer by one: 1 + 2 + … + 20 pixels of red.
    var codes = [(4, 3), (0, 3)]
    var next = 6
    for _ in 2...20 {
      codes.append((next, Int.bitWidth - next.leadingZeroBitCount))
      next += 1
    }
    #expect(try pixels(210, codes) == String(repeating: "R", count: 210))
  }

  @Test(arguments: [1, 2, 3, 7, 8, 9, 255])
  func doesNotCareHowCodesFallIntoSubBlocks(blockLength: Int) throws {
    let (codes, letters) = Self.fullTable(extra: 500)
    #expect(try pixels(letters.count, blockLength: blockLength, codes) == letters)
  }

  @Test func keepsAFullTableUntilItIsCleared() throws {
    let (codes, letters) = Self.fullTable(extra: 500)
    #expect(codes.last?.1 == 12)
    #expect(try pixels(letters.count, codes) == letters)
    // Cleared late, codes are narrow again.
    let cleared = codes + [(4, 12), (1, 3), (6, 3), (5, 3)]
    #expect(try pixels(letters.count + 3, cleared) == letters + "GGG")
  }

  @Test func rejectsCodesThatNothingDefines() {
    for codes in [[(4, 3), (7, 3)], [(6, 3)], [(4, 3), (0, 3), (7, 3)], [(4, 3), (0, 3), (4, 3), (6, 3)]] {
      let error = #expect(throws: ImagingError.self) { try pixels(4, codes) }
      #expect(error?.code == "corrupt")
    }
  }

  @Test func rejectsAnEndBeforeTheLastPixelUnlessDamageIsTolerated() throws {
    let codes = [(4, 3), (0, 3), (1, 3), (5, 3)]
    let error = #expect(throws: ImagingError.self) { try pixels(4, codes) }
    #expect(error?.code == "corrupt")
    #expect(try pixels(4, tolerated: true, codes) == "RG..")
  }

  @Test(arguments: [0, 9, 12, 255] as [UInt8])
  func rejectsImpossibleCodeSizes(codeSize: UInt8) {
    for tolerated in [false, true] {
      let error = #expect(throws: ImagingError.self) {
        try pixels(1, codeSize: codeSize, tolerated: tolerated, [(0, 9)])
      }
      #expect(error?.code == "corrupt")
    }
  }

  /// Literals until the table is full, and `extra` more, all 12 bits wide by then.
  private static func fullTable(extra: Int) -> (codes: [(Int, Int)], letters: String) {
    var codes = [(4, 3)]
    var letters = ""
    var next = 6
    for i in 0..<4090 + 1 + extra {
      let pixel = (i * 7 + i / 5) % 4
      codes.append((pixel, min(12, Int.bitWidth - next.leadingZeroBitCount)))
      letters += ["R", "G", "B", "W"][pixel]
      if i > 0, next < 4096 { next += 1 }
    }
    return (codes, letters)
  }
}
