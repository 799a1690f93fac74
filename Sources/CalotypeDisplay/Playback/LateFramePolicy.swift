import Calotype

/// The treatment of frames that are late because decoding or drawing takes too long.
public enum LateFramePolicy: String, Hashable, Sendable, CaseIterable {
  /// Every frame is shown. What is late by more than its own duration is made up for by that much only: playing takes
  /// longer than the file says.
  case keep
  /// Frames whose time is over before they can be shown are left out, so that playing takes as long as the file says. The
  /// last frame of the last loop is always shown. Playback that is late by more than a whole loop goes on from there.
  case drop
}
