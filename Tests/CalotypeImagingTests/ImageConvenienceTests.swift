import CalotypeImaging
import CalotypeTestKit
import FoundationEssentials
import Testing

@Suite("Image: data, files, sizes")
struct ImageConvenienceTests {
  private func sample() throws -> Image {
    Image(bitmap: try SampleImages.bitmap(width: 12, height: 8))
  }

  @Test("an image is decoded from data, with options")
  func data() throws {
    let png = try sample().encoded(as: .png)
    #expect(try Image(data: png).bitmap == sample().bitmap)
    let small = try Image(data: png, options: DecodeOptions(thumbnail: .fit(width: 6)))
    #expect(small.size == PixelSize(width: 6, height: 4))
    #expect(throws: ImagingError.self) { try Image(data: png, coders: CoderRegistry()) }
  }

  @Test("an image is written to a file and read back")
  func file() throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("image-\(UUID().uuidString).png")
    defer { try? FileManager.default.removeItem(at: file) }
    try sample().write(to: file, as: .png)
    #expect(try Image(contentsOf: file).bitmap == sample().bitmap)
    #expect(throws: (any Error).self) { try Image(contentsOf: file.appendingPathComponent("none")) }
  }

  @Test("resized(to:) is exact, resized(width:height:) keeps proportions; both enlarge")
  func resized() throws {
    let image = try sample()
    #expect(try image.resized(to: PixelSize(width: 5, height: 20)).size == PixelSize(width: 5, height: 20))
    #expect(try image.resized(width: 24).size == PixelSize(width: 24, height: 16))
    #expect(try image.resized(height: 4).size == PixelSize(width: 6, height: 4))
    #expect(try image.resized(width: 6, height: 6).size == PixelSize(width: 6, height: 4))
    #expect(throws: ImagingError.self) { try image.resized() }
    #expect(throws: ImagingError.self) { try image.resized(to: PixelSize(width: 0, height: 5)) }
  }

  @Test("a closure of a program may throw any error")
  func custom() throws {
    struct Refusal: Error {}
    let image = try sample()
    let same = try image.transformed(by: [.custom(id: "same/1") { $0 }])
    #expect(same.bitmap == image.bitmap)
    func failure(_ thrown: any Error) -> ImagingError? {
      #expect(throws: ImagingError.self) {
        try image.transformed(by: [.custom(id: "no/1") { _ in throw thrown }])
      }
    }
    #expect(failure(Refusal())?.code == "transformFailed")
    #expect(failure(CancellationError()) == .cancelled)
    #expect(failure(ImagingError.emptyInput) == .emptyInput)
  }
}
