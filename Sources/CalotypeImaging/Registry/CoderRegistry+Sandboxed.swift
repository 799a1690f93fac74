extension CoderRegistry {
  /// The coders of a process that decodes for another one and can do nothing else: those of ``standard``, and decoders
  /// whose libraries are not to meet hostile bytes in a process that has anything to lose.
  package static let sandboxed: CoderRegistry = {
    let registry = standard
    return registry
  }()
}
