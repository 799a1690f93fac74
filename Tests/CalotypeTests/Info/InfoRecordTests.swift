import CalotypeCaching
import CalotypeImaging
import Testing

@testable import Calotype

@Suite("Descriptions of originals in records")
struct InfoRecordTests {
  private let plain = ImageInfo(format: .png, size: PixelSize(width: 3, height: 4), hasAlpha: true)

  @Test("what is stored reads back, and ordinary images are written as ever")
  func roundTrip() {
    var metadata = RecordMetadata()
    plain.store(in: &metadata)
    #expect(metadata.user["source"] == "png 3 4 1 1 alpha 8 1")
    #expect(ImageInfo(stored: metadata) == plain)
    let rich = ImageInfo(
      format: .tiff, size: PixelSize(width: 3, height: 4), pageCount: 9, hasGainMap: true, isVector: true,
      dynamicRange: .pq)
    rich.store(in: &metadata)
    #expect(ImageInfo(stored: metadata) == rich)
  }

  @Test(
    "records of earlier and later versions",
    arguments: [
      ("png 3 4 1 1 alpha 8 1", true), ("png 3 4 1 1 alpha 8 1 depth=5 new", true),
      ("png 3 4 1 1 alpha 8", false),
      ("png 3 4 1 1 alpha 8 1 pages= range=none gainMap=1", true), ("", false),
    ])
  func versions(text: String, isReadable: Bool) {
    var metadata = RecordMetadata()
    metadata.user["source"] = text
    #expect(ImageInfo(stored: metadata) == (isReadable ? plain : nil))
  }
}
