import MiniORM

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A state of a database in a store. Later positions of a database are greater, whatever the clock of the
/// machine said.
///
/// Keep the ``description`` of a position outside the store, for example in a monitoring system. A
/// later restore with `notBefore:` then detects a store that lost or hides newer states.
public struct BackupPosition: Hashable, Comparable, Sendable, CustomStringConvertible {
  let file: [UInt8]
  let object: ObjectName

  init(file: [UInt8], object: ObjectName) { (self.file, self.object) = (file, object) }

  /// Reads a position from its description.
  /// - Parameter description: The text of a position.
  /// - Returns: nil if the text does not describe a position.
  public init?(_ description: String) {
    let parts = description.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, let file = [UInt8](digits: parts[0]),
      let object = ObjectName(parts[1]), object.base != nil
    else { return nil }
    self.init(file: file, object: object)
  }

  /// The identity of the file, and the name of the object in the store.
  public var description: String { "\(file.digits)/\(object.text)" }

  /// The name of the state's last object in the store.
  package var objectName: String { object.text }

  /// The time at which the state was read, by the clock of the machine with the database.
  public var date: Date { Date(milliseconds: object.time) }

  /// Compares two positions of a database.
  /// - Parameters:
  ///   - left: A position.
  ///   - right: Another position.
  /// - Returns: True if the first position is older.
  public static func < (left: BackupPosition, right: BackupPosition) -> Bool {
    left.description.utf8.lexicographicallyPrecedes(right.description.utf8)
  }
}

/// The state to restore.
public enum BackupMoment: Sendable {
  /// The newest state in the store.
  case latest
  /// The last state at or before a date. A restore throws, and lists the candidates, if a wrong clock
  /// makes it doubtful which state that is.
  case date(Date)
  /// An exact state.
  case position(BackupPosition)
}

extension Date {
  init(milliseconds: UInt64) { self.init(timeIntervalSince1970: Double(milliseconds) / 1_000) }

  /// Milliseconds since 1970; 0 before.
  var milliseconds: UInt64 {
    let milliseconds = (timeIntervalSince1970 * 1_000).rounded(.down)
    return UInt64(min(max(0, milliseconds), Double(1 << 47)))
  }

  /// The time with milliseconds, in UTC. A restore with this time finds the state of this time. The
  /// description of a date has no milliseconds, and is therefore before the state.
  package var exact: String {
    let seconds = "\(Date(timeIntervalSince1970: Double(milliseconds / 1_000)))".dropLast(6)
    return "\(seconds).\(String(1_000 + milliseconds % 1_000).dropFirst()) +0000"
  }
}
