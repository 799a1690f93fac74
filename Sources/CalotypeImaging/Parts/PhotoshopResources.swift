import FoundationEssentials

/// A reader of image resources (Adobe Photoshop File Formats, "Image Resource Blocks").
enum PhotoshopResources {
  /// Returns the data of the first resource with a number; `nil` if there is none, or the blocks before it are damaged.
  static func payload(of number: UInt16, in resources: Data) -> Data? {
    let bytes = resources.bytes
    var offset = 0
    while bytes.holds("8BIM", at: offset), let id = bytes.uint16(at: offset + 4, bigEndian: true),
      let nameLength = bytes.byte(at: offset + 6)
    {
      // A name with its length, and data, each have an even number of bytes.
      let start = offset + 6 + (Int(nameLength) + 2) & ~1
      guard let length = bytes.uint32(at: start, bigEndian: true).map({ Int($0) }),
        start + 4 <= bytes.byteCount - length
      else { return nil }
      if id == number { return bytes.extracting(start + 4..<start + 4 + length).copy() }
      offset = start + 4 + (length + 1) & ~1
    }
    return nil
  }
}
