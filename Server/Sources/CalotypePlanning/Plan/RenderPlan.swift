public import CalotypeImaging

/// All decisions about a rendering, as numbers.
///
/// Equal ``decode``, ``operations`` and ``encode`` of the same source have the same result. Costs, notices and
/// ``varyingHeaders`` are not part of it.
public struct RenderPlan: Hashable, Sendable {
  /// The pixels to decode.
  public var decode: DecodePlan
  /// The operations on them, in order.
  public var operations: [PixelOperation]
  /// The format of the result and its settings.
  public var encode: EncodePlan
  /// The size of the picture after each of ``operations``.
  public var sizes: [PixelSize]
  /// The size of the result.
  public var resultSize: PixelSize
  /// The position in ``operations`` of the first trim whose outcome the planner did not know; `nil` if there is none.
  ///
  /// Operations behind it, and ``resultSize``, assume that nothing is cut off. Apply the operations up to it, and plan
  /// again with the size of that picture: see ``Planner/plan(_:trimmedTo:)``.
  public var pendingTrim: Int?
  /// The predicted work.
  public var cost: PredictedCost
  /// The deviations from the request.
  public var notices: Set<PlanNotice>
  /// The request headers that other values might have led to another plan for this URL, for `Vary`.
  public var varyingHeaders: [String]

  /// The names of the watermarks that are drawn.
  public var watermarks: Set<String> {
    Set(
      operations.compactMap { operation in
        if case .watermark(let mark) = operation { mark.id } else { nil }
      })
  }

  /// A Boolean value that indicates whether all numbers are final.
  public var isExact: Bool { pendingTrim == nil }
}
