import Calotype

/// An interface that the way out of this machine leads through.
public struct NetworkInterface: Hashable, Sendable {
  /// Its name: `eth0`, `wlp3s0`, `wwan0`.
  public let name: String
  /// The kind of device by its driver, `DEVTYPE` of its `uevent` in sysfs: `wlan`, `wwan`, `bridge`; `nil` for plain Ethernet and
  /// for those that do not say.
  public let deviceType: String?

  /// Creates a description.
  public init(name: String, deviceType: String? = nil) {
    self.name = name
    self.deviceType = deviceType
  }

  /// Whether it is a mobile modem.
  public var isMobile: Bool { deviceType == "wwan" }
}
