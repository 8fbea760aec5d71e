import CSystemFaults
import Foundation

/// Lets calls of this process to the system fail, for files below one folder.
///
/// Unlike ``FaultyDisk`` and ``FileFaults``, it also meets the calls that MiniORM makes itself, such as those that sync
/// and rename a copy.
enum SystemFaults {
  /// A system call, named as the system names it.
  enum Call: Int32, CaseIterable, Sendable {
    case pwrite64, fsync, fdatasync, ftruncate, unlink, openat, linkat, renameat
  }

  /// Whether calls can fail here: on Linux with glibc, without a sanitizer.
  static var exist: Bool { miniorm_faults_exist() != 0 }

  /// Counts all calls from now on, and lets one fail.
  /// - Parameters:
  ///   - folder: Only calls that concern a file below it count.
  ///   - call: The call that fails; `nil` for none.
  ///   - number: Which of these calls, from 1.
  ///   - lasting: Whether all that follow fail too.
  ///   - error: The number of the error; 0 to kill the process at the call.
  static func arm(
    _ folder: String, _ call: Call? = nil, _ number: Int = 1, lasting: Bool = false,
    error: Int32 = EIO
  ) {
    miniorm_faults_arm(folder, call?.rawValue ?? -1, number, lasting ? 1 : 0, error)
  }

  /// Lets every call succeed again.
  /// - Returns: How many have failed.
  @discardableResult
  static func disarm() -> Int { miniorm_faults_disarm() }

  /// How many calls of a kind there have been since ``arm(_:_:_:lasting:error:)``.
  static func count(of call: Call) -> Int { miniorm_faults_count(call.rawValue) }

  /// The calls since then and the names of their files, below the folder.
  static var record: [(call: Call, name: String)] {
    // NUL-terminated by contract.
    String(cString: miniorm_faults_record()).split(separator: "\n").compactMap { line in
      let letters: [Character] = ["w", "s", "d", "t", "u", "o", "l", "r"]
      guard let index = letters.firstIndex(of: line.first ?? " "),
        let call = Call(rawValue: Int32(index))
      else { return nil }
      return (call, String(line.dropFirst(2)))
    }
  }
}
