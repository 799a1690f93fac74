import FoundationEssentials

/// The place of the ICC profile that a BITMAPV5HEADER states: usually behind the pixels.
struct BMPProfileLocation: Hashable, Sendable {
  let start: Int
  let byteCount: Int

  /// Returns the profile; `nil` if it is not within the bytes, too large, or none.
  func profile(in bytes: UnsafeRawBufferPointer, limit: Int) -> ColorProfile? {
    let (end, overflow) = start.addingReportingOverflow(byteCount)
    guard !overflow, byteCount >= 128, byteCount <= limit, end <= bytes.count else { return nil }
    return .icc(Data(bytes[start..<end]))
  }
}
