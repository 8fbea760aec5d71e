import CSystemFaults
import Foundation

/// Fails system calls of this process, for files in a single folder.
///
/// Unlike ``FaultyDisk`` and ``FileFaults``, it also covers MiniORM's own calls, such as the sync
/// and the rename of a copy.
enum SystemFaults {
  /// A system call, named as in the system.
  enum Call: Int32, CaseIterable, Sendable {
    case pwrite64, fsync, fdatasync, ftruncate, unlink, openat, linkat, renameat
  }

  /// True on Linux with glibc and without a sanitizer.
  static var exist: Bool { miniorm_faults_exist() != 0 }

  /// Counts all calls from now on, and fails a chosen call.
  /// - Parameters:
  ///   - folder: Only calls on files in this folder count.
  ///   - call: The kind of call that fails; `nil` for no failure.
  ///   - number: The failing call, from 1.
  ///   - lasting: True if all later calls fail too.
  ///   - error: The errno value; 0 to kill the process at the call.
  static func arm(
    _ folder: String, _ call: Call? = nil, _ number: Int = 1, lasting: Bool = false,
    error: Int32 = EIO
  ) {
    miniorm_faults_arm(folder, call?.rawValue ?? -1, number, lasting ? 1 : 0, error)
  }

  /// Disarms the failure.
  /// - Returns: The number of failed calls.
  @discardableResult
  static func disarm() -> Int { miniorm_faults_disarm() }

  /// The number of calls of a kind since ``arm(_:_:_:lasting:error:)``.
  static func count(of call: Call) -> Int { miniorm_faults_count(call.rawValue) }

  /// The calls since arming, and their file names relative to the folder.
  static var record: [(call: Call, name: String)] {
    String(cString: miniorm_faults_record()).split(separator: "\n").compactMap { line in
      let letters: [Character] = ["w", "s", "d", "t", "u", "o", "l", "r"]
      guard let index = letters.firstIndex(of: line.first ?? " "),
        let call = Call(rawValue: Int32(index))
      else { return nil }
      return (call, String(line.dropFirst(2)))
    }
  }
}
