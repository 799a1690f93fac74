import FoundationEssentials

extension ISOMediaFile {
  /// Returns the Exif and XMP blocks that describe the primary picture (ISO/IEC 23008-12, A.2). Those that are larger than
  /// ``DecodeLimits/maxChunkBytes``, or outside of the file, are left out.
  func metadata(_ bytes: UnsafeRawBufferPointer, limits: DecodeLimits) -> ImageMetadata {
    var metadata = ImageMetadata()
    guard let graph else { return metadata }
    for id in graph.table.sources(of: "cdsc", to: graph.primary.id) {
      guard let item = graph.table.items[id], let data = data(of: item, in: graph, bytes, limits) else {
        continue
      }
      switch item.type {
      case FourCC("Exif") where metadata.exif == nil:
        // The offset of the TIFF header behind these four bytes comes first.
        let prefix = data.prefix(4)
        guard prefix.count == 4 else { continue }
        let offset = prefix.reduce(0) { $0 << 8 | Int($1) }
        guard offset <= data.count - 4 else { continue }
        metadata.exif = Data(data.dropFirst(4 + offset))
      case FourCC("mime") where metadata.xmp == nil && item.contentType == "application/rdf+xml":
        metadata.xmp = data
      default: break
      }
    }
    return metadata
  }

  /// Returns whether blocks that describe the primary picture lie beyond the bytes at hand.
  func lacksMetadata(_ bytes: UnsafeRawBufferPointer, limits: DecodeLimits) -> Bool {
    guard let graph else { return false }
    return graph.table.sources(of: "cdsc", to: graph.primary.id).contains { id in
      guard let item = graph.table.items[id],
        let ranges = try? graph.reader(of: bytes, limits: limits).ranges(of: item)
      else { return false }
      return ranges.contains { $0.upperBound > bytes.count }
    }
  }

  private func data(
    of item: ItemTable.Item, in graph: ItemGraph, _ bytes: UnsafeRawBufferPointer, _ limits: DecodeLimits
  ) -> Data? {
    guard let ranges = try? graph.reader(of: bytes, limits: limits).ranges(of: item) else { return nil }
    var data = Data()
    for range in ranges {
      guard range.upperBound <= bytes.count, range.count <= limits.maxChunkBytes - data.count else {
        return nil
      }
      data.append(contentsOf: bytes[range])
    }
    return data
  }
}
