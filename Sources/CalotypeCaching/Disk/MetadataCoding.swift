import CalotypeSupport

/// The metadata in a record: fields of a tag (2 bytes), a length (4) and UTF-8 text or a number, little-endian.
///
/// Fields with unknown tags are skipped, so that later versions can add fields. `expires` has a fixed place in the
/// header.
enum MetadataCoding {
  private enum Tag {
    static let contentType: UInt16 = 1
    static let source: UInt16 = 2
    static let label: UInt16 = 3
    /// Length of the name (4 bytes), name, value.
    static let user: UInt16 = 4
    static let response: UInt16 = 5
    /// 8 bytes, in two's complement.
    static let position: UInt16 = 6
    /// 8 bytes: microseconds.
    static let cost: UInt16 = 7
  }

  /// - Parameter source: ``CacheKey/source`` where it differs from the text of the key.
  static func encode(_ metadata: RecordMetadata, source: String?) -> [UInt8] {
    var bytes: [UInt8] = []
    func field(_ tag: UInt16, _ value: some Collection<UInt8>) {
      bytes.append(little: tag)
      // Longer values exceed the limit on all metadata, which the caller checks.
      bytes.append(little: UInt32(clamping: value.count))
      bytes += value
    }
    if let text = metadata.contentType { field(Tag.contentType, text.utf8) }
    if let source { field(Tag.source, source.utf8) }
    if let response = metadata.response { field(Tag.response, response.text.utf8) }
    for label in metadata.tags { field(Tag.label, label.utf8) }
    for (name, value) in metadata.user.sorted(by: { $0.key < $1.key }) {
      var pair: [UInt8] = []
      pair.append(little: UInt32(clamping: name.utf8.count))
      field(Tag.user, pair + name.utf8 + value.utf8)
    }
    func number(_ tag: UInt16, _ number: Int64) {
      var value: [UInt8] = []
      value.append(little: UInt64(bitPattern: number))
      field(tag, value)
    }
    if let position = metadata.position { number(Tag.position, Int64(position)) }
    if let cost = metadata.cost { number(Tag.cost, max(0, cost.nanosecondCount / 1_000)) }
    return bytes
  }

  /// Decodes the result of ``encode(_:source:)``; `nil` when a length exceeds the data, text is not UTF-8
  /// or a number does not fit.
  static func decode(_ raw: UnsafeRawBufferPointer) -> (metadata: RecordMetadata, source: String?)? {
    var metadata = RecordMetadata()
    var source: String?
    var offset = 0
    while offset < raw.count {
      guard raw.count - offset >= 6 else { return nil }
      let tag = raw.little(at: offset, UInt16.self)
      let length = Int(raw.little(at: offset + 2, UInt32.self))
      offset += 6
      guard length <= raw.count - offset else { return nil }
      let value = UnsafeRawBufferPointer(rebasing: raw[offset..<offset + length])
      offset += length
      switch tag {
      case Tag.contentType, Tag.source, Tag.label, Tag.response:
        guard let text = String(validating: value, as: UTF8.self) else { return nil }
        switch tag {
        case Tag.contentType: metadata.contentType = text
        case Tag.source: source = text
        case Tag.response:
          guard let response = StoredResponse(text: text) else { return nil }
          metadata.response = response
        default: metadata.tags.append(text)
        }
      case Tag.user:
        guard value.count >= 4 else { return nil }
        let nameLength = Int(value.little(at: 0, UInt32.self))
        guard nameLength <= value.count - 4,
          let name = String(validating: value[4..<4 + nameLength], as: UTF8.self),
          let text = String(validating: value[(4 + nameLength)...], as: UTF8.self)
        else { return nil }
        metadata.user[name] = text
      case Tag.position, Tag.cost:
        guard value.count == 8 else { return nil }
        let number = Int64(bitPattern: value.little(at: 0, UInt64.self))
        if tag == Tag.position {
          metadata.position = Int(number)
        } else {
          guard number >= 0 else { return nil }
          metadata.cost = .microseconds(number)
        }
      default:
        continue
      }
    }
    return (metadata, source)
  }
}
