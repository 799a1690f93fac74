/// The client hints about the size of an image: `Sec-CH-DPR`, `DPR`, `Sec-CH-Width` and `Width`.
public struct ClientHints: Hashable, Sendable {
  /// The device pixel ratio; `nil` if there is none that can be used.
  public var dpr: Double?
  /// The width in physical pixels; `nil` if there is none that can be used.
  public var width: Int?

  /// Hints that are not there.
  public init() {}

  /// Reads hints. The first that can be read counts, of `Sec-CH-DPR` before `DPR`.
  ///
  /// - Parameters:
  ///   - fields: Returns the value of a header field by its name.
  ///   - largestRatio: The largest device pixel ratio that is believed.
  public init(largestRatio: Double = 8, _ fields: (String) -> String?) {
    dpr = ["Sec-CH-DPR", "DPR"].lazy.compactMap(fields).compactMap { Self.number($0) }.first {
      $0 > 0 && $0 <= largestRatio
    }
    width = ["Sec-CH-Width", "Width"].lazy.compactMap(fields).compactMap { Int($0) }.first {
      $0 > 0 && $0 <= Rounding.largest
    }
  }

  /// Reads a decimal number; `Double` would read hexadecimal and infinite ones.
  private static func number(_ text: String) -> Double? {
    text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || $0 == UInt8(ascii: ".") }
      ? Double(text) : nil
  }
}
