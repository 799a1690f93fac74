@testable import CalotypeLoading
import FoundationEssentials

/// Takes the bytes for a kept part of a body: what is read from it was written as such.
enum PartialTarget {
  static func run(_ input: FuzzInput) throws {
    let bytes = Array(input.bytes)
    var offset = 0
    while offset + PartialFrames.prefix <= bytes.count {
      let header = bytes[offset..<offset + PartialFrames.prefix]
      guard let (length, checksum) = PartialFrames.read(header, limit: PartialFrames.maxFrame) else { break }
      try FuzzFailure.unless(
        length > 0 && length <= PartialFrames.maxFrame, "a frame of \(length) bytes is believed")
      let start = offset + PartialFrames.prefix
      guard length <= bytes.count - start else { break }
      let payload = Data(bytes[start..<start + length])
      if PartialFrames.checksum(payload) == checksum {
        try FuzzFailure.unless(
          PartialFrames.header(of: payload) == Array(header), "a frame that nobody writes")
        _ = try? JSONDecoder().decode(PartialHead.self, from: payload)
      }
      offset = start + length
    }
    _ = try? JSONDecoder().decode(PartialHead.self, from: Data(bytes))
    guard !bytes.isEmpty, bytes.count <= PartialFrames.maxFrame else { return }
    let header = PartialFrames.header(of: Data(bytes))
    let read = PartialFrames.read(header, limit: PartialFrames.maxFrame)
    try FuzzFailure.unless(
      read?.length == bytes.count && read?.checksum == PartialFrames.checksum(Data(bytes)), "a frame is lost")
  }
}
