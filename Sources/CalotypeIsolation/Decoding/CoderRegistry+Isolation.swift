package import CalotypeImaging

extension CoderRegistry {
  /// Returns the registry with decoders replaced by workers: those of the formats in the configuration of the sandbox that the
  /// workers have too. Formats that the registry only describes are decoded by workers that can.
  package func isolated(by sandbox: DecodingSandbox) -> CoderRegistry {
    let configuration = sandbox.configuration
    let hasOwnCoders = configuration.entry == .main || configuration.test.usesTestCoders
    // The order stays: a decoder that needs many bytes to decide comes after those that need few.
    var decoders: [any ImageDecoding] = []
    var registry = replacingDecoders { decoder in
      let isConcerned = decoder.formats.contains {
        configuration.includes($0) && decoder.refusal(of: $0) == nil
      }
      let isThere = hasOwnCoders || CoderRegistry.sandboxed.hasDecoder(like: decoder)
      decoders.append(isConcerned && isThere ? DelegatedDecoder(decoder, by: sandbox) : decoder)
      // Right behind the decoder that only describes a format, and takes precedence over it.
      for beyond in CoderRegistry.sandboxed.decodersBeyondStandard
      where beyond.formats.contains(where: {
        configuration.includes($0) && describes($0) && decoder.formats.contains($0)
          && decoder.refusal(of: $0) != nil
      }) {
        decoders.append(DelegatedDecoder(beyond, by: sandbox))
      }
      return decoder
    }
    registry.unregisterDecoders { _ in true }
    for decoder in decoders { registry.register(decoder) }
    return registry
  }

  /// The registry of workers: with the decoders of sandboxed processes, in an order in which streams are recognised early. A
  /// decoder that needs many bytes to decide, such as that of drawings, comes after those that need few.
  var withSandboxedDecoders: CoderRegistry {
    var decoders: [any ImageDecoding] = []
    var registry = replacingDecoders { decoder in
      decoders.append(decoder)
      return decoder
    }
    registry.unregisterDecoders { _ in true }
    let beyond = CoderRegistry.sandboxed.decodersBeyondStandard.filter { !hasDecoder(like: $0) }
    func onlyDescribes(_ decoder: any ImageDecoding) -> Bool {
      decoder.formats.contains { decoder.refusal(of: $0) != nil }
    }
    let describing = decoders.filter(onlyDescribes)
    for decoder in describing + beyond + decoders.filter({ !onlyDescribes($0) }) {
      registry.register(decoder)
    }
    return registry
  }
}
