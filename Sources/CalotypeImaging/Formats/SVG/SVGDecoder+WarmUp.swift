#if SVG
import CSVG
import FoundationEssentials

extension SVGDecoder {
  /// The folder of the Debian package `fonts-dejavu-core`.
  package static let fontFolder = "/usr/share/fonts/truetype/dejavu"

  /// Prepares a process that is about to give up files for drawing: opens the libraries, reads the fonts of a folder, which
  /// become the only ones, and draws a sample of all that is opened when it is first needed.
  ///
  /// Afterwards a draw needs `futex`, `brk`, `mmap`, `munmap` and `mremap`; pictures that are JPEG also `rt_sigprocmask`. The
  /// first filter has started a thread, which computes filters for as long as the process lives: a filter of system calls has
  /// to include it (`SECCOMP_FILTER_FLAG_TSYNC`).
  ///
  /// Call it once, before any other drawing, in a process with one thread, and draw in that thread. Environment variables are
  /// set, and functions that the libraries import are replaced.
  ///
  /// - Throws: ``ImagingError/unsupportedFormat(_:reason:)`` without librsvg, or without fonts.
  package static func warmUp(fonts folder: String = fontFolder) throws(ImagingError) {
    try OptionalLibrary.svg.require()
    if let reason = csvg_isolate(folder) {
      throw .unsupportedFormat(
        .svg, reason: "install the Debian package fonts-dejavu-core: \(String(cString: reason))")
    }
    _ = try SVGDecoder().decode(Data(try sample().utf8), minimumSize: nil, options: DecodeOptions())
  }

  /// The reason why drawings are refused: the warm-up has failed. Written once, before there is a second thread.
  nonisolated(unsafe) static var unreadiness: ImagingError?

  /// Prepares a process for drawing. If that fails, all drawings are refused for the same reason.
  package static func prepare() {
    do throws(ImagingError) { try warmUp() } catch { unreadiness = error }
  }

  /// A drawing with text, filters, and pictures in each format with and without their type.
  private static func sample() throws(ImagingError) -> String {
    let pixel = Image(
      bitmap: try Bitmap(size: PixelSize(width: 2, height: 2)) { pixels throws(ImagingError) in
        pixels.initializeMemory(as: UInt8.self, repeating: 0x80)
        return false
      })
    var pictures = ""
    for encoder in [PNGEncoder(), JPEGEncoder(), GIFEncoder()] as [any ImageEncoding] {
      let data = try encoder.encode(pixel, options: EncodeOptions(format: encoder.format))
      for type in [encoder.format.mimeType ?? "", ""] {
        pictures +=
          "<image width='9' height='9' href='data:\(type);base64,\(data.base64EncodedString())'/>"
      }
    }
    return """
      <svg xmlns="http://www.w3.org/2000/svg" width="64" height="64">
      <filter id="blur"><feGaussianBlur stdDeviation="3"/></filter>
      <filter id="light"><feDiffuseLighting><feDistantLight/></feDiffuseLighting></filter>
      <filter id="noise"><feTurbulence baseFrequency="0.1"/></filter>
      <rect width="32" height="32" filter="url(#blur)"/>
      <rect width="32" height="32" filter="url(#light)"/>
      <rect width="32" height="32" filter="url(#noise)"/>
      <g opacity="0.5">\(pictures)</g>
      <text x="2" y="20" lang="en">Aé漢<tspan font-weight="bold" font-style="italic">b</tspan></text>
      <text x="2" y="25">ไทย</text>
      <text x="2" y="30" font-family="monospace" writing-mode="tb">c</text>
      </svg>
      """
  }
}
#endif
