/// A kind of facts from which we differ on purpose.
public struct DeliberateDifference: Sendable {
  /// The group of the facts.
  public let group: String
  /// The reason.
  public let reason: String
  private let condition: @Sendable (ConformanceVector) -> Bool

  private init(
    _ group: String, _ reason: String, _ condition: @escaping @Sendable (ConformanceVector) -> Bool
  ) {
    self.group = group
    self.reason = reason
    self.condition = condition
  }

  /// Returns true if a fact is of this kind.
  public func covers(_ vector: ConformanceVector) -> Bool { vector.group == group && condition(vector) }

  /// All kinds. Facts whose own text says that a server should answer otherwise are not among them: for those, that other
  /// answer agrees.
  public static let all: [DeliberateDifference] = [
    DeliberateDifference(
      "size", "the row contradicts its source: the test there expects twice the size without a ratio, 200x52"
    ) { vector in
      vector.input == "src=200x100 opts=rs:fill:100:26/g:no:0:5/dpr:2" && vector.expected == "100x26"
    },
    DeliberateDifference(
      "format",
      "Calotype cannot encode HEIC, because of its patents, and TIFF; both are refused with 422"
    ) { vector in
      ["heic", "tiff"].contains { vector.expected.hasPrefix($0) }
    },
    DeliberateDifference(
      "vary", "`Vary` names `Accept` only if another value could have led to another format"
    ) { vector in
      vector.input.contains("@")
    },
  ]
}
