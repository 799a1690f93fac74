import FoundationEssentials

/// The datasets of record 2 of IPTC-IIM with their names, such as `Keywords`.
enum IPTCFields {
  private static let maxDatasets = 1024
  private static let maxValueBytes = 8192

  /// Returns the datasets as an object; `nil` if there are none.
  static func object(of block: Data, maxBytes: Int = 1 << 20) -> JSONValue? {
    let bytes = Array(block.prefix(maxBytes))
    var (offset, count, isUTF8) = (0, 0, false)
    var values: [Int: [String]] = [:]
    // A marker, the record, the dataset, and a length of two bytes.
    while offset <= bytes.count - 5, bytes[offset] == 0x1C, count < maxDatasets {
      let (record, dataset) = (Int(bytes[offset + 1]), Int(bytes[offset + 2]))
      let length = Int(bytes[offset + 3]) << 8 | Int(bytes[offset + 4])
      // Longer datasets have a length of another form, and no text.
      guard length < 0x8000, length <= bytes.count - offset - 5 else { break }
      let value = bytes[offset + 5..<offset + 5 + length]
      if record == 1, dataset == 90 { isUTF8 = value.elementsEqual([0x1B, 0x25, 0x47]) }
      if record == 2, names[dataset] != nil, length <= maxValueBytes {
        values[dataset, default: []].append(text(value, isUTF8: isUTF8))
      }
      offset += 5 + length
      count += 1
    }
    let members = values.sorted { $0.key < $1.key }.compactMap { dataset, texts -> JSONValue.Member? in
      guard let name = names[dataset] else { return nil }
      let isList = lists.contains(dataset)
      return JSONValue.Member(name, isList ? .array(texts.map { .string($0) }) : .string(texts[0]))
    }
    return members.isEmpty ? nil : .object(members)
  }

  private static func text(_ value: ArraySlice<UInt8>, isUTF8: Bool) -> String {
    if let text = String(validating: value, as: UTF8.self) { return text }
    if isUTF8 { return String(decoding: value, as: UTF8.self) }
    return String(String.UnicodeScalarView(value.map { Unicode.Scalar($0) }))
  }

  /// Datasets that occur several times.
  private static let lists: Set<Int> = [12, 20, 25, 26, 80, 85, 118, 122]

  private static let names: [Int: String] = [
    3: "Object Type Reference", 4: "Object Attribute Reference", 5: "Name", 7: "Edit Status",
    10: "Urgency", 12: "Subject Reference", 15: "Category", 20: "Supplemental Category",
    22: "Fixture Identifier", 25: "Keywords", 26: "Content Location Code", 30: "Release Date",
    35: "Release Time", 37: "Expiration Date", 38: "Expiration Time", 40: "Special Instructions",
    45: "Reference Service", 47: "Reference Date", 50: "Reference Number", 55: "Date Created",
    60: "Time Created", 62: "Digital Creation Date", 63: "Digital Creation Time",
    65: "Originating Program", 70: "Program Version", 75: "Object Cycle", 80: "Byline",
    85: "Byline Title", 90: "City", 92: "Sublocation", 95: "Province or State", 100: "Country Code",
    101: "Country Name", 103: "Original Transmission Reference", 105: "Headline", 110: "Credit",
    115: "Source", 116: "Copyright Notice", 118: "Contact", 120: "Caption", 122: "Caption Writer",
    130: "Image Type", 131: "Image Orientation", 135: "Language Identifier",
  ]
}
