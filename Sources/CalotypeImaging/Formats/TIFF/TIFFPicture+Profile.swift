import FoundationEssentials

extension TIFFPicture {
  /// Returns a profile if it describes the colours of the decoded pixels.
  func usableProfile(_ profile: Data?) -> Data? {
    guard let profile, coding.photometric != .lab else { return nil }
    return ICCHeader.explains(pixels.isIndexed ? 3 : pixels.colorCount, profile) ? profile : nil
  }
}
