import Calotype

/// The treatment of frames that are late because decoding or drawing takes too long.
public enum LateFramePolicy: String, Hashable, Sendable, CaseIterable {
  /// Shows every frame. Lateness beyond a frame's own duration is not made up for: playback takes longer
  /// than the file specifies.
  case keep
  /// Drops frames whose time is over before they can be shown, so that playback takes as long as the file
  /// specifies. The last frame of the last loop is always shown. Playback that is late by more than a whole
  /// loop continues from there.
  case drop
}
