package import FoundationEssentials

/// A reader of the first 128 bytes of an ICC profile.
package enum ICCHeader {
  /// Returns the colour space of a profile (ICC.1:2022, 7.2.6), as its signature: `GRAY`, `RGB `, `CMYK`. `nil` if the
  /// bytes are no profile, or an incomplete one.
  static func colorSpace(of profile: Data) -> String? {
    let bytes = profile.bytes
    guard bytes.holds("acsp", at: 36), let size = bytes.uint32(at: 0, bigEndian: true), size >= 132,
      Int(size) <= bytes.byteCount
    else { return nil }
    return ["GRAY", "RGB ", "CMYK"].first { bytes.extracting(16..<20).copy() == Data($0.utf8) }
  }

  /// Returns true if pixels of this number of colour components can have this profile. An RGB profile applies to grey,
  /// too, with equal red, green and blue.
  package static func explains(_ componentCount: Int, _ profile: Data) -> Bool {
    switch (componentCount, colorSpace(of: profile)) {
    case (1, "GRAY"), (1, "RGB "), (3, "RGB "), (4, "CMYK"): true
    default: false
    }
  }
}
