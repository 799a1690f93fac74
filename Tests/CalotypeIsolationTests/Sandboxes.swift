import CalotypeImaging
import CalotypeSupport
import CalotypeTestKit
import FoundationEssentials
import Testing

@testable import CalotypeIsolation

/// Sandboxes of this test program, whose workers have the decoder of attacks.
enum Sandboxes {
  /// A configuration without a delay after deaths.
  static func configuration(
    workers: Int = 1, _ change: (inout SandboxConfiguration) -> Void = { _ in }
  ) -> SandboxConfiguration {
    var configuration = SandboxConfiguration(
      workers: workers, memory: 512 << 20, deadline: .seconds(20),
      restart: SandboxConfiguration.Restart(deathsPerMinute: 1 << 30))
    configuration.test.usesTestCoders = true
    change(&configuration)
    return configuration
  }

  static func service(
    workers: Int = 1, _ change: (inout SandboxConfiguration) -> Void = { _ in }
  ) -> DecodingSandbox {
    DecodingSandbox(configuration(workers: workers, change))
  }

  /// The coders of the package, in a sandbox.
  static func registry(_ service: DecodingSandbox) -> CoderRegistry {
    var coders = CoderRegistry.standard
    coders.register(HostileDecoder())
    return coders.isolated(by: service)
  }

  /// The error of an attack; `nil` if there is none.
  static func error(
    _ attack: HostileDecoder.Attack, argument: UInt64 = 0, limits: DecodeLimits = .default,
    _ service: DecodingSandbox
  ) -> ImagingError? {
    // Each another input, so that none is refused because of an earlier one.
    var data = HostileDecoder.image(attack, argument: argument)
    data.append(contentsOf: "\(UInt64.random(in: 0 ... .max))".utf8)
    do throws(ImagingError) {
      _ = try registry(service).decode(data, options: DecodeOptions(limits: limits))
      return nil
    } catch {
      return error
    }
  }
}
