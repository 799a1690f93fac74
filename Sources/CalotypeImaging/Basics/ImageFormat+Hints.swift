import FoundationEssentials

extension ImageFormat {
  /// Returns a name for bytes of no known image format, which completes "this is …"; `nil` if nothing matches.
  ///
  /// Most failed images on the web are error pages; naming them saves an inspection of the bytes.
  static func hint(forUnrecognized data: Data) -> String? {
    let bytes = data.bytes.extracting(first: hintLength)
    return damagedSignature(bytes) ?? container(bytes) ?? markup(bytes) ?? plain(bytes)
  }

  private static func damagedSignature(_ bytes: RawSpan) -> String? {
    if bytes.holds("PNG", at: 1) || bytes.holds("PNG\r\n") || bytes.holds("IHDR", at: 12) {
      return "a PNG file with a damaged signature"
    }
    if bytes.holds("GIF8") { return "a GIF file with a damaged signature" }
    if bytes.holds([0xFF, 0xD8]) { return "a JPEG file without segments" }
    return nil
  }

  private static func container(_ bytes: RawSpan) -> String? {
    if bytes.holds("%PDF-") { return "a PDF document" }
    if bytes.holds("%!PS") { return "a PostScript document" }
    if bytes.holds([0x50, 0x4B, 0x03, 0x04]) || bytes.holds([0x50, 0x4B, 0x05, 0x06]) {
      return "a ZIP archive"
    }
    if bytes.holds([0x1F, 0x8B]) { return "gzip-compressed data" }
    if bytes.holds([0x28, 0xB5, 0x2F, 0xFD]) { return "zstd-compressed data" }
    if bytes.holds("ftyp", at: 4) { return "an MP4 or QuickTime file" }
    if bytes.holds([0x1A, 0x45, 0xDF, 0xA3]) { return "a Matroska or WebM file" }
    if bytes.holds("RIFF") { return "a RIFF file without a picture" }
    if bytes.holds([0, 0, 2, 0]) { return "a Windows cursor" }
    if bytes.holds([0x7F, 0x45, 0x4C, 0x46]) { return "an ELF program" }
    if bytes.holds([0x38, 0x42, 0x50, 0x53]) { return "a Photoshop document" }
    return nil
  }

  private static func markup(_ bytes: RawSpan) -> String? {
    let text = lowercasedText(bytes)
    guard let first = text.first else { return nil }
    switch first {
    case "<":
      let isHTML = ["<!doctype html", "<html", "<head", "<body", "<script", "<title", "<h1", "<p>", "<div"]
        .contains { text.hasPrefix($0) }
      if isHTML || text.contains("<html") { return "an HTML page" }
      if text.contains("<svg") { return "an SVG drawing" }
      if text.hasPrefix("<?xml") || text.hasPrefix("<!") { return "an XML document" }
    case "{", "[": return "JSON"
    default: break
    }
    return nil
  }

  /// Returns the first bytes as ASCII in lower case, without byte order mark and leading white space; empty if binary.
  private static func lowercasedText(_ bytes: RawSpan) -> String {
    var units: [UInt8] = []
    for offset in (bytes.holds([0xEF, 0xBB, 0xBF]) ? 3 : 0)..<bytes.byteCount {
      guard let byte = bytes.byte(at: offset) else { break }
      guard byte >= 0x20 || (0x09...0x0D).contains(byte) else { return "" }
      if units.isEmpty, byte <= 0x20 { continue }
      units.append((0x41...0x5A).contains(byte) ? byte | 0x20 : byte)
    }
    return String(decoding: units, as: UTF8.self)
  }

  private static func plain(_ bytes: RawSpan) -> String? {
    guard bytes.byteCount >= 4 else { return nil }
    var zeros = 0
    for offset in 0..<bytes.byteCount where bytes.byte(at: offset) == 0 { zeros += 1 }
    if zeros == bytes.byteCount { return "nothing but zero bytes" }
    let text = lowercasedText(bytes)
    // One invalid character may be a valid one that the end of the prefix truncated.
    let broken = text.unicodeScalars.reduce(0) { $0 + ($1 == "\u{FFFD}" ? 1 : 0) }
    return text.isEmpty || broken > 1 ? nil : "text"
  }
}
