import CalotypeURLs

/// The choice of the format of a result.
struct OutputDecision {
  let policy: PlanningPolicy
  /// The format of the source; `nil` if it has no name in URLs.
  let source: RequestedFormat?
  /// The format of the URL; `nil` for none.
  let requested: RequestedFormat?
  /// A Boolean value that indicates whether several frames are wanted.
  let isAnimated: Bool
  /// A Boolean value that indicates whether the result may have transparent pixels.
  let mayBeTransparent: Bool

  /// Returns the reason to pass the source on; `nil` to render it.
  func passThrough(skipping skipped: Set<RequestedFormat>) -> PassThroughPlan.Reason? {
    guard let source else { return nil }
    let isSkipped = policy.skippedFormats.contains(source) || skipped.contains(source)
    if source == .svg {
      if requested == .svg { return .drawing }
      guard requested == nil else { return nil }
      return !policy.alwaysRasterizesDrawings || isSkipped ? .drawing : nil
    }
    return isSkipped && (requested == nil || requested == source) ? .skippedFormat : nil
  }

  /// Returns the format for a client.
  func format(for client: ClientFormats, accept: AcceptHeader) throws(PlanningError) -> RequestedFormat {
    if requested == .svg {
      throw PlanningError(
        .notADrawing, at: "format", "only drawings can become SVG, and the source is none",
        remedy: "request a format of pixels")
    }
    let format: RequestedFormat
    if let requested {
      format = client.enforced.first(where: isPossible) ?? requested
    } else {
      let otherwise = unnegotiated
      // The client may prefer the format that it gets otherwise.
      let least = accept.weight(of: otherwise.mediaType)
      format =
        client.preferred.first(where: isPossible).flatMap { candidate in
          client.enforced.contains(candidate) || accept.weight(of: candidate.mediaType) >= least
            ? candidate : nil
        } ?? otherwise
    }
    guard policy.writableFormats.contains(format) else {
      throw PlanningError(
        .unwritableFormat, at: "format", "this server cannot encode \(format.rawValue)",
        remedy: "request one of " + policy.writableFormats.map(\.rawValue).sorted().joined(separator: ", "))
    }
    return format
  }

  /// Returns the formats of which the best may be sent to a client: those that it names and the server offers, and those that
  /// every client can show.
  func candidates(for client: ClientFormats) -> [RequestedFormat] {
    let shown = policy.preferredFormats.filter {
      policy.writableFormats.contains($0) && (!mayBeTransparent || $0.holdsAlpha)
    }
    let all = client.preferred + shown.filter { !client.preferred.contains($0) }
    return all.filter { isPossible($0) && (!isAnimated || policy.animatedFormats.contains($0)) }
  }

  /// A Boolean value that indicates whether another `Accept` might lead to another format.
  var dependsOnAccept: Bool {
    let offered =
      requested == nil ? policy.automaticFormats.union(policy.enforcedFormats) : policy.enforcedFormats
    let otherwise = requested ?? unnegotiated
    return RequestedFormat.negotiated.contains { format, _ in
      format != otherwise && offered.contains(format) && policy.writableFormats.contains(format)
        && isPossible(format)
    }
  }

  /// The format without negotiation.
  private var unnegotiated: RequestedFormat {
    let writable = policy.preferredFormats.filter(policy.writableFormats.contains)
    if let source, writable.contains(source) { return source }
    let suitable = writable.first { format in
      (!isAnimated || policy.animatedFormats.contains(format)) && (!mayBeTransparent || format.holdsAlpha)
    }
    return suitable ?? writable.first ?? .jpeg
  }

  private func isPossible(_ format: RequestedFormat) -> Bool {
    !isAnimated || !RequestedFormat.negotiated.contains { $0.format == format && $0.isStill }
  }
}
