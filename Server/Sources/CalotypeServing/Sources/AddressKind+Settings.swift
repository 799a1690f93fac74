import CalotypeSettings

extension AddressKind {
  /// The kinds that settings allow.
  static func allowed(by security: Settings.Security) -> Set<AddressKind> {
    var kinds: Set<AddressKind> = [.other]
    if security.allowsLoopback { kinds.insert(.loopback) }
    if security.allowsLinkLocal { kinds.insert(.linkLocal) }
    if security.allowsPrivate { kinds.insert(.private) }
    return kinds
  }
}
