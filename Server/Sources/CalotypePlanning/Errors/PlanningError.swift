/// A request that cannot be rendered: the fault, its place, and a remedy.
public struct PlanningError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The fault.
  public enum Fault: String, Hashable, Sendable, CaseIterable {
    /// A picture without pixels.
    case emptySource
    /// A source with more pixels than the limit.
    case sourceTooLarge
    /// A frame with more pixels than the limit.
    case frameTooLarge
    /// A source with more bytes than the limit.
    case sourceFileTooLarge
    /// A result, or a picture on the way to it, with more pixels or a longer side than the limit.
    case resultTooLarge
    /// A format that the server cannot encode.
    case unwritableFormat
    /// SVG for a source that is no drawing.
    case notADrawing
    /// A page or frame beyond the last.
    case noSuchPage
    /// A watermark from a URL, or of text, whose size was not given to the planner.
    case unknownWatermark
  }

  /// The fault.
  public let fault: Fault
  /// The option, setting or property of the source that is at fault.
  public let place: String
  /// The deviation.
  public let reason: String
  /// The remedy.
  public let remedy: String

  /// Describes a fault.
  public init(_ fault: Fault, at place: String, _ reason: String, remedy: String) {
    self.fault = fault
    self.place = place
    self.reason = reason
    self.remedy = remedy
  }

  /// The name of the fault, which stays the same.
  public var code: String { fault.rawValue }

  /// The status of an HTTP response: 422, as imgproxy answers; 500 for ``Fault/unknownWatermark``, a fault of the caller.
  public var status: Int { fault == .unknownWatermark ? 500 : 422 }

  /// The fault, its place and a remedy in one sentence.
  public var description: String { "\(place): \(reason); \(remedy)" }
}
