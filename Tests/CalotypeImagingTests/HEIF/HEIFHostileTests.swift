#if HEIF
import FoundationEssentials
import Glibc
import Testing

@testable import CalotypeImaging

@Suite("HEIF: hostile files", .enabled(if: HEIFDecoder().refusal(of: .heif) == nil))
struct HEIFHostileTests {
  private func code(_ file: ItemFile, _ options: DecodeOptions = DecodeOptions()) -> String? {
    do throws(ImagingError) {
      _ = try HEIFDecoder().decode(file.data, minimumSize: nil, options: options)
      return nil
    } catch {
      return error.code
    }
  }

  @Test("parameters of another size or depth than the file states are damage, before there is a picture")
  func lies() throws {
    let sample = try HEIFSample()
    #expect(code(sample.still()) == nil)
    #expect(code(sample.still((64, 48))) == "corrupt")
    #expect(code(sample.still((6400, 6400))) == "corrupt")
    var deep = sample.still()
    // The depth of luma in the box.
    deep.properties[1][8 + 17] |= 2
    #expect(code(deep) == "corrupt")
    // A picture of which the window leaves a corner.
    var large = HEVCSequenceSample(width: 8192, height: 8192)
    large.window = [0, 4064, 0, 4064]
    var file = sample.still((64, 64))
    file.properties[1] = configuration(large.unit)
    #expect(code(file) == "corrupt")
  }

  /// A configuration with sequence parameters, and picture parameters without any options.
  private func configuration(_ sequence: [UInt8]) -> [UInt8] {
    var writer = HEVCBitWriter()
    for value in [0, 0] { writer.unsigned(value) }
    writer.number(0, 40)
    var content = [UInt8](repeating: 0, count: 21) + [3, 2]
    content[16] = 1
    for unit in [sequence, writer.unit(34)] {
      content += [unit[0] >> 1, 0, 1] + BoxBuilder.number(unit.count, 2) + unit
    }
    return BoxBuilder.box("hvcC", content)
  }

  @Test("data cut off, or damaged, are no picture of another's memory")
  func damage() throws {
    let sample = try HEIFSample()
    let tile = sample.tiles[0]
    for count in [0, 3, 5, 7, tile.count / 2, tile.count - 1] {
      var data = Array(tile.prefix(count))
      // Sound to the boxes: the slice is as long as the data.
      if count > 4 { data.replaceSubrange(0..<4, with: BoxBuilder.number(count - 4, 4)) }
      var file = sample.still(data: data.isEmpty ? [0] : data)
      if count == 0 { file.items[0].extent = (0, 1) }
      let options = DecodeOptions(pixels: .rgba8)
      let first = try? HEIFDecoder().decode(file.data, minimumSize: nil, options: options)
      let second = try? HEIFDecoder().decode(file.data, minimumSize: nil, options: options)
      #expect(first?.bitmap == second?.bitmap, "\(count) bytes")
      if count < 8 { #expect(first == nil) }
    }
  }

  @Test("other codecs, derivations and sequences are refused by name")
  func unsupported() throws {
    let sample = try HEIFSample()
    for type in ["avc1", "av01", "jpeg", "hev1"] {
      var file = sample.still()
      file.items[0].type = type
      #expect(code(file) == "unsupportedFormat")
    }
    var overlay = sample.grid([0, 1], columns: 2)
    overlay.items[0].type = "iovl"
    #expect(code(overlay) == "unsupportedFormat")
    // An identity and the base of a gain map are the picture.
    for type in ["iden", "tmap"] {
      var file = sample.still()
      file.items.append(ItemFile.Item(id: 2, type: type, properties: [1], extent: (0, 1)))
      file.references = [("dimg", 2, [1])]
      file.primary = 2
      #expect(code(file) == nil, "\(type)")
    }
    let film = SequenceTests.Movie(brands: ["msf1", "heic"]).data
    #expect(
      throws: ImagingError.unsupportedFormat(.heif, reason: "sequences of pictures are not decoded")
    ) { try HEIFDecoder().decode(film, minimumSize: nil, options: DecodeOptions()) }
  }

  @Test("a limit of memory is kept")
  func memory() throws {
    let sample = try HEIFSample()
    var options = DecodeOptions()
    options.limits.maxMemoryBytes = 4096
    #expect(code(sample.still(), options) == "outOfMemory")
    options.limits = DecodeLimits(maxPixels: 4000)
    #expect(code(sample.still(), options) == "limitExceeded")
  }

  @Test("every changed byte ends in a picture or an error of the input")
  func mutations() throws {
    let sample = try HEIFSample()
    let data = sample.still().data
    var random = SystemRandomNumberGenerator()
    for _ in 0..<300 {
      var bytes = [UInt8](data)
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        bytes[Int.random(in: 0..<bytes.count, using: &random)] ^= 1 << UInt8.random(in: 0...7, using: &random)
      }
      do throws(ImagingError) {
        let limits = DecodeLimits(maxPixels: 1 << 16)
        let image = try HEIFDecoder().decode(
          Data(bytes), minimumSize: nil, options: DecodeOptions(limits: limits))
        #expect(image.bitmap.size.pixelCount <= 1 << 16)
      } catch {
        #expect(
          error.blamesInput || ["limitExceeded", "unsupportedFormat"].contains(error.code), "\(error)")
      }
    }
  }

  @Test("a missing library is named with its package")
  func missing() {
    let library = OptionalLibrary(
      format: .heif, package: OptionalLibrary.heif.package, open: { missingReason }, isInstalled: { false })
    #expect("\(library.refusal.map(String.init(describing:)) ?? "")".contains("libde265-0"))
  }
}

/// Lives as long as the process.
private nonisolated(unsafe) let missingReason = UnsafePointer<CChar>(strdup("no such file"))
#endif
