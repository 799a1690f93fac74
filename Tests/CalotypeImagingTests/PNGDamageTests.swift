import FoundationEssentials
import Testing

@testable import CalotypeImaging

@Suite struct PNGDamageTests {
  private static let file = PNGTestFile(width: 6, height: 5)
  private static let stream = file.compressed { PNGDecoderTests.sample($0, $1, $2, depth: 8) }
  private static let whole = file.file(PNGTestFile.chunk("IDAT", stream))

  private func decode(_ data: Data, partial: Bool = false) throws(ImagingError) -> Image {
    try PNGDecoder().decode(
      data, minimumSize: nil,
      options: DecodeOptions(allowsPartial: partial, damage: partial ? .tolerate : .strict))
  }

  private func expectCorrupt(_ data: Data, _ comment: Comment) {
    #expect(comment) { _ = try decode(data) } throws: { error in
      if case .corrupt(.png, _, _) = error as? ImagingError { true } else { false }
    }
  }

  @Test func truncationAtEveryByte() throws {
    let reference = try decode(Self.whole).bitmap.bytes
    var partialImages = 0
    for count in 1..<Self.whole.count {
      let data = Self.whole.prefix(count)
      do throws(ImagingError) {
        // Without the last bytes - the checksums and IEND - all pixels can still be there.
        #expect(try decode(data).bitmap.bytes == reference, "\(count) bytes")
        #expect(count > Self.whole.count - 21)
      } catch {
        #expect(error == .truncated(.png, byteCount: count))
      }
      guard let image = try? decode(data, partial: true) else { continue }
      // Whole rows are right, the others transparent.
      let bytes = image.bitmap.bytes
      let intact = stride(from: 0, to: bytes.count, by: 24).prefix {
        bytes[$0..<$0 + 24] == reference[$0..<$0 + 24]
      }
      #expect(intact.count > 0)
      #expect(bytes.dropFirst(intact.count * 24).allSatisfy { $0 == 0 })
      #expect(image.isPartial == (bytes != reference))
      if image.isPartial { partialImages += 1 }
    }
    // Of five rows of 25 bytes, one to four are there.
    #expect(partialImages == 4 * 25)
  }

  @Test(arguments: ["basi3p02.png", "basn0g08.png", "split_fdat.png", "apng-skip-idat.png", "1_trns.png"])
  func flippedBitsNeverCrash(_ name: String) throws {
    let data = try Fixture.data("png/\(name)")
    let size = try decode(data).bitmap.size
    for position in data.indices {
      for bit in 0..<8 {
        var damaged = data
        damaged[position] ^= 1 << bit
        for partial in [false, true] {
          do throws(ImagingError) {
            #expect(try decode(damaged, partial: partial).bitmap.size == size)
          } catch {
            #expect(["corrupt", "truncated"].contains(error.code))
          }
        }
      }
    }
  }

  @Test func checksumsOfCriticalChunksCount() {
    // Each chunk's last byte belongs to its CRC.
    var data = Self.whole
    data[32] ^= 1
    expectCorrupt(data, "IHDR")
    data = Self.whole
    data[Self.whole.count - 13] ^= 1
    expectCorrupt(data, "IDAT")
    let indexed = PNGTestFile(width: 1, height: 1, depth: 1, colorType: 3)
    var palette = PNGTestFile.chunk("PLTE", [1, 2, 3])
    palette[palette.count - 1] ^= 1
    expectCorrupt(
      indexed.file(palette, PNGTestFile.chunk("IDAT", indexed.compressed { _, _, _ in 0 })), "PLTE")
  }

  @Test func rowsBeforeTheDamageAreShown() throws {
    let reference = try decode(Self.whole).bitmap.bytes
    // Row 2 has a filter that there is none of, and the data of the other file end within row 2.
    var filter = Self.stream
    filter[7 + 2 * 25] = 9
    for data in [filter, Array(Self.stream.dropLast(60))] {
      let file = Self.file.file(PNGTestFile.chunk("IDAT", data))
      let image = try PNGDecoder().decode(file, minimumSize: nil, options: DecodeOptions())
      #expect(image.isDamaged && !image.isPartial)
      #expect(image.bitmap.bytes.prefix(48) == reference.prefix(48))
      #expect(image.bitmap.bytes.dropFirst(48).allSatisfy { $0 == 0 })
      IncrementalDecodes(decoder: PNGDecoder()).expectSame(file, "damaged")
      expectCorrupt(file, "strict")
      #expect(throws: ImagingError.self) { try decode(file.dropLast(12)) }
    }
  }

  @Test func damagedAncillaryChunksAreIgnored() throws {
    let gray = PNGTestFile(width: 2, height: 1, colorType: 0)
    let pixels = PNGTestFile.chunk("IDAT", gray.compressed { x, _, _ in x })
    var transparency = PNGTestFile.chunk("tRNS", [0, 1])
    transparency[transparency.count - 1] ^= 1
    let junk: [[UInt8]] = [
      transparency, PNGTestFile.chunk("tRNS", [1]), PNGTestFile.chunk("iCCP", [65, 0, 0, 1, 2, 3]),
      PNGTestFile.chunk("gAMA", []), PNGTestFile.chunk("zTXt", [1]), PNGTestFile.chunk("eXIf", []),
      PNGTestFile.chunk("gAMA", [0, 0, 0, 0]) + PNGTestFile.chunk("gAMA", [0, 0, 0, 0]),
    ]
    for chunk in junk {
      let image = try decode(gray.file(chunk, pixels))
      #expect(image.bitmap.bytes == [0, 0, 0, 255, 1, 1, 1, 255])
      #expect(image.bitmap.isOpaque)
    }
  }

  @Test func structureIsEnforced() {
    let pixels = PNGTestFile.chunk("IDAT", Self.stream)
    let file = Self.file
    expectCorrupt(file.file(), "no image data")
    expectCorrupt(file.file(PNGTestFile.chunk("ABCD", []), pixels), "unknown critical chunk")
    expectCorrupt(file.file(file.header, pixels), "second IHDR")
    expectCorrupt(Data(PNGTestFile.signature + pixels + file.header), "IHDR not first")
    expectCorrupt(
      Data(PNGTestFile.signature + file.header + [0xff, 0xff, 0xff, 0xff, 65, 66, 67, 68]), "length")
    let indexed = PNGTestFile(width: 1, height: 1, depth: 1, colorType: 3)
    let bit = PNGTestFile.chunk("IDAT", indexed.compressed { _, _, _ in 0 })
    expectCorrupt(indexed.file(bit, PNGTestFile.chunk("PLTE", [1, 2, 3])), "palette after the image")
    expectCorrupt(indexed.file(PNGTestFile.chunk("PLTE", [1, 2]), bit), "palette of two bytes")
    expectCorrupt(file.file(PNGTestFile.chunk("IDAT", Array(Self.stream.dropLast(30)))), "too few rows")
    for (width, height, depth, colorType) in [
      (0, 1, 8, 6), (1, 0, 8, 6), (1, 1, 4, 6), (1, 1, 16, 3), (1, 1, 8, 5),
    ] {
      let wrong = PNGTestFile(width: width, height: height, depth: depth, colorType: colorType)
      expectCorrupt(wrong.file(pixels), "\(width)×\(height), \(depth) bits, colour type \(colorType)")
    }
  }

  @Test func aLongProfileIsNotInflated() throws {
    // A stored block of 9 MiB: more than any profile may have.
    let file = PNGTestFile(width: 1, height: 1)
    let profile = PNGTestFile.chunk(
      "iCCP", [65, 0, 0] + PNGTestFile.stored([UInt8](repeating: 0, count: 9 << 20)))
    let data = file.file(profile, PNGTestFile.chunk("IDAT", file.compressed { _, _, _ in 9 }))
    #expect(try PNGDecoder().probe(data, limits: .default).colorProfile == nil)
    #expect(try decode(data).bitmap.bytes == [9, 9, 9, 9])
  }
}
