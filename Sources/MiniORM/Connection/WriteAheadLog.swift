/// What stands in the write-ahead log of a file, whoever has it open.
///
/// See [The WAL File Format](https://www.sqlite.org/fileformat2.html#the_write_ahead_log).
enum WriteAheadLog {
  private static let headerSize = 32
  private static let frameHeaderSize = 24

  /// Returns whether whoever reads the log anew may find a transaction in it that was committed: false only where
  /// there is none for sure, and true where the log cannot be read just now.
  ///
  /// SQLite looks at check sums too. A frame whose sum is not right counts as one that is, here.
  /// - Parameter path: The path of the database's file.
  /// - Complexity: O(*n*) in the number of frames of the log, until one ends a transaction.
  static func mayHoldCommit(beside path: String) -> Bool {
    guard let file = try? FileBytes(DatabaseFile.resolved(path) + "-wal"),
      let size = try? file.size
    else { return true }
    // What is shorter than that, SQLite takes for nothing.
    guard size >= headerSize else { return false }
    guard let header = file.read(headerSize, at: 0) else { return true }
    let pageSize = header[8..<12].reduce(0) { $0 << 8 | Int64($1) }
    guard (512...65_536).contains(pageSize) else { return true }
    let frameSize = Int64(frameHeaderSize) + pageSize
    var offset = Int64(headerSize)
    while size - offset >= frameSize {
      guard let frame = file.read(frameHeaderSize, at: offset) else { return true }
      // From the first frame of an earlier log on, SQLite reads nothing.
      guard frame[8..<16] == header[16..<24] else { return false }
      // The last frame of a transaction has the size of the file.
      guard frame[4..<8].allSatisfy({ $0 == 0 }) else { return true }
      offset += frameSize
    }
    return false
  }
}
