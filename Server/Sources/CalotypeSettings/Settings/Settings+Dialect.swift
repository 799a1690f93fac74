public import CalotypeURLs

extension Settings {
  /// The keys that sign URLs.
  public func signature() throws(ImageURLError) -> URLSignature {
    var pairs: [URLSignature.Key] = []
    for (index, (key, salt)) in zip(security.keys, security.salts).enumerated() {
      pairs.append(
        try URLSignature.Key(
          id: index < security.keyIDs.count ? security.keyIDs[index] : String(index + 1), key: key.exposed,
          salt: salt.exposed,
          validUntil: index < security.keyValidity.count ? security.keyValidity[index] : nil))
    }
    var signature = try URLSignature(
      keys: pairs, size: security.signatureSize, trusted: security.trustedSignatures.map(\.exposed))
    signature.allowsMalleableTail = compatibility.acceptsMalleableSignatures
    return signature
  }

  /// How URLs of images are read.
  ///
  /// ```swift
  /// let dialect = try ImgproxyDialect(loaded.settings.dialect())
  /// ```
  public func dialect() throws(ImageURLError) -> ImgproxyDialect.Configuration {
    var configuration = ImgproxyDialect.Configuration()
    configuration.pathPrefix = server.pathPrefix
    configuration.separator = urls.argumentsSeparator
    configuration.signature = try signature()
    configuration.presets = try PresetTable(presets.definitions).merging(PresetTable(presets.file.lines))
    configuration.onlyPresets = presets.only
    configuration.allowedOptions = security.allowedOptions.isEmpty ? nil : Set(security.allowedOptions)
    configuration.allowedOptionsCoverSynonyms = true
    configuration.allowsSecurityOptions = security.allowsSecurityOptions
    configuration.allowsBypassingCache = security.allowsBypassingCache
    configuration.replacements = urls.replacements.map {
      SourceReplacement(pattern: $0.name, replacement: $0.value)
    }
    configuration.baseURL = urls.baseURL
    configuration.base64IncludesFilename = urls.base64IncludesFilename
    if !security.sourceKeys.isEmpty {
      configuration.cipher = try SourceCipher(keys: security.sourceKeys.map(\.exposed))
    }
    configuration.limits.bytes = limits.urlBytes
    configuration.limits.options = limits.urlOptions
    configuration.limits.presetDepth = limits.presetDepth
    configuration.limits.stages = security.maxPipelines == 0 ? 64 : security.maxPipelines
    return configuration
  }

  /// How URLs of `/info` are read: as those of images, with presets and allowed options of their own.
  public func infoDialect() throws(ImageURLError) -> ImgproxyDialect.Configuration {
    var configuration = try dialect()
    configuration.presets = try PresetTable(presets.infoDefinitions).merging(
      PresetTable(presets.infoFile.lines))
    configuration.onlyPresets = presets.infoOnly
    configuration.allowedOptions =
      security.allowedInfoOptions.isEmpty ? nil : Set(security.allowedInfoOptions)
    return configuration
  }
}
