import FoundationEssentials

/// The resolution in the image resource 1005 of Photoshop (`ResolutionInfo`).
enum PhotoshopResolution {
  /// The number of the resource.
  static let resource: UInt16 = 0x03ED

  /// Returns the resolution as an object; `nil` if the resource is too short.
  static func object(of resource: Data) -> JSONValue? {
    let bytes = Array(resource.prefix(16))
    guard bytes.count == 16 else { return nil }
    func short(_ offset: Int) -> Int { Int(bytes[offset]) << 8 | Int(bytes[offset + 1]) }
    // A fixed point of 16 bits on either side.
    func fixed(_ offset: Int) -> JSONValue {
      let value = Double(short(offset)) + Double(short(offset + 2)) / 65536
      return value == value.rounded() ? .integer(Int(value)) : .number(value)
    }
    func unit(_ offset: Int) -> JSONValue { .string(short(offset) == 2 ? "cm" : "inches") }
    func side(_ offset: Int) -> JSONValue {
      let names = [1: "inches", 2: "cm", 3: "points", 4: "picas", 5: "columns"]
      return .string(names[short(offset)] ?? "inches")
    }
    return .object([
      .init("XResolution", fixed(0)), .init("XResolutionUnit", unit(4)), .init("WidthUnit", side(6)),
      .init("YResolution", fixed(8)), .init("YResolutionUnit", unit(12)), .init("HeightUnit", side(14)),
    ])
  }
}
