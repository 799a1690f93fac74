/// The bounds of a check of a tier.
package struct TierCheckLimits: Hashable, Sendable {
  /// The longest time of one probe.
  package var probe = Duration.seconds(10)
  /// The longest time of all probes; the removal of what they wrote has another ``probe``.
  package var total = Duration.seconds(60)
  /// The number of small reads, and of small writes, that measure latency.
  package var samples = 20

  /// The default bounds.
  package init() {}
}
