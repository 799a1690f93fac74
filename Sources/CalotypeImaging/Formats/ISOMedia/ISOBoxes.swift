/// The boxes inside another, read one after the other with checked bounds. They are read in one pass and without
/// recursion: each level of nesting is a call of its own in the code of its reader.
package struct ISOBoxes {
  private let format: ImageFormat
  private let end: Int
  private var offset: Int

  /// Creates a reader of the boxes in a range of the file, which has to be at hand.
  package init(_ range: Range<Int>, format: ImageFormat) {
    self.format = format
    offset = range.lowerBound
    end = range.upperBound
  }

  /// Returns the next box; `nil` at the end. A rest of less than 8 bytes is ignored.
  package mutating func next(_ bytes: RawSpan) throws(ImagingError) -> ISOBox? {
    guard end - offset >= 8 else { return nil }
    guard let box = try ISOBox.read(bytes, at: offset, end: end, format: format) else { return nil }
    offset = box.end
    return box
  }

  /// Returns the first box of a type in a range.
  package static func first(
    _ type: StaticString, in range: Range<Int>, _ bytes: RawSpan, format: ImageFormat
  ) throws(ImagingError) -> ISOBox? {
    let wanted = FourCC(type)
    var boxes = ISOBoxes(range, format: format)
    while let box = try boxes.next(bytes) {
      if box.type == wanted { return box }
    }
    return nil
  }
}
