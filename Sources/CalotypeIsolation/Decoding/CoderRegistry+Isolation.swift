package import CalotypeImaging

extension CoderRegistry {
  /// Returns the registry with decoders replaced by workers: those of the formats in the configuration of the service that the
  /// workers have too. Formats that the registry only describes are decoded by workers that can.
  package func isolated(by service: DecodingSandbox) -> CoderRegistry {
    let configuration = service.configuration
    let hasOwnCoders = configuration.entry == .main
    var registry = replacingDecoders { decoder in
      let isConcerned = decoder.formats.contains {
        configuration.includes($0) && decoder.refusal(of: $0) == nil
      }
      let isThere = hasOwnCoders || CoderRegistry.sandboxed.hasDecoder(like: decoder)
      return isConcerned && (isThere || configuration.test.usesTestCoders)
        ? DelegatedDecoder(decoder, by: service) : decoder
    }
    for decoder in CoderRegistry.sandboxed.decodersBeyondStandard
    where decoder.formats.contains(where: { configuration.includes($0) && describes($0) }) {
      registry.register(DelegatedDecoder(decoder, by: service))
    }
    return registry
  }
}
