import FoundationEssentials
import Testing

@testable import CalotypeImaging

/// Orientation from Exif and names from ICC profiles, out of sound and of hostile bytes.
@Suite("Metadata")
struct MetadataTests {
  /// A TIFF header with one directory of one other tag and the orientation.
  static func exif(bigEndian: Bool, type: UInt16 = 3, value: UInt32, count: UInt32 = 1) -> [UInt8] {
    func two(_ v: UInt16) -> [UInt8] {
      bigEndian ? [UInt8(v >> 8), UInt8(v & 255)] : [UInt8(v & 255), UInt8(v >> 8)]
    }
    func four(_ v: UInt32) -> [UInt8] {
      let high = two(UInt16(v >> 16))
      let low = two(UInt16(v & 0xFFFF))
      return bigEndian ? high + low : low + high
    }
    let field: [UInt8]
    switch type {
    case 1: field = [UInt8(value), 0, 0, 0]
    case 3: field = two(UInt16(value)) + [0, 0]
    default: field = four(value)
    }
    return Array((bigEndian ? "MM" : "II").utf8) + two(42) + four(8) + two(2)
      + two(0x0100) + two(4) + four(1) + four(640) + two(0x0112) + two(type) + four(count) + field + four(0)
  }

  @Test("all values, both byte orders, with and without the APP1 prefix", arguments: [true, false])
  func values(bigEndian: Bool) {
    for orientation in Orientation.allCases {
      let bytes = Self.exif(bigEndian: bigEndian, value: UInt32(orientation.rawValue))
      #expect(Exif.orientation(in: Data(bytes)) == orientation)
      #expect(Exif.orientation(in: Data("Exif\0\0".utf8) + bytes) == orientation)
      #expect(Exif.orientation(in: Data([9, 9] + bytes).dropFirst(2)) == orientation)
    }
    for type in [1, 3, 4] as [UInt16] {
      #expect(Exif.orientation(in: Data(Self.exif(bigEndian: bigEndian, type: type, value: 6))) == .rightTop)
    }
  }

  @Test("values out of range are as stored; other types, no elements and no tag are nothing")
  func outOfRange() {
    for value in [0, 9, 65535] as [UInt32] {
      #expect(Exif.orientation(in: Data(Self.exif(bigEndian: true, value: value))) == .topLeft)
    }
    #expect(Exif.orientation(in: Data(Self.exif(bigEndian: true, type: 2, value: 6))) == nil)
    #expect(Exif.orientation(in: Data(Self.exif(bigEndian: true, value: 6, count: 0))) == nil)
    #expect(Exif.orientation(in: Data()) == nil)
    #expect(Exif.orientation(in: Data("Exif\0\0".utf8)) == nil)
  }

  @Test("cut anywhere, damaged anywhere, the reader says nil or an orientation")
  func hostileExif() {
    let sound = Self.exif(bigEndian: false, value: 6)
    for count in 0..<(sound.count - 6) { #expect(Exif.orientation(in: Data(sound.prefix(count))) == nil) }
    for index in sound.indices {
      for value in [0, 1, 0x7F, 0x80, 0xFF] as [UInt8] {
        var damaged = sound
        damaged[index] = value
        _ = Exif.orientation(in: Data(damaged))
      }
    }
    // A directory that begins in the header, and one that ends behind the last byte.
    var loop = sound
    loop[4] = 0
    #expect(Exif.orientation(in: Data(loop)) == nil)
    var far = sound
    far.replaceSubrange(4..<8, with: [0xFE, 0xFF, 0xFF, 0xFF])
    #expect(Exif.orientation(in: Data(far)) == nil)
  }

  @Test("descriptions of version 2 and version 4 profiles")
  func profiles() throws {
    #expect(ICCProfile.description(of: try Fixture.data("Metadata/DisplayP3-v4.icc")) == "sP3")
    #expect(ICCProfile.description(of: try Fixture.data("Metadata/AdobeCompat-v2.icc")) == "A98C")
    #expect(ICCProfile.description(of: Data()) == nil)
    #expect(ICCProfile.description(of: Data(repeating: 0xFF, count: 4096)) == nil)
  }

  @Test(
    "profiles cut or damaged anywhere never trap", arguments: ["DisplayP3-v4.icc", "AdobeCompat-v2.icc"])
  func hostileProfile(name: String) throws {
    let sound = [UInt8](try Fixture.data("Metadata/\(name)"))
    for count in 0..<sound.count { _ = ICCProfile.description(of: Data(sound.prefix(count))) }
    for index in sound.indices {
      for value in [0, 0x7F, 0xFF] as [UInt8] {
        var damaged = sound
        damaged[index] = value
        let name = ICCProfile.description(of: Data(damaged))
        #expect(name.map { $0.utf16.count <= 256 } ?? true)
      }
    }
  }

  @Test("control characters and line breaks in a name cannot break a line")
  func cleanNames() throws {
    var profile = [UInt8](try Fixture.data("Metadata/AdobeCompat-v2.icc"))
    let name = Array("A98C".utf8)
    let index = try #require(profile.indices.dropLast(4).first { Array(profile[$0..<($0 + 4)]) == name })
    profile[index + 1] = 0x0A
    profile[index + 2] = 0x1B
    #expect(ICCProfile.description(of: Data(profile)) == "A C")
  }
}
