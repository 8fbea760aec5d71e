import BoardServer
import Foundation

do {
  try await BoardApplication.run(settings: try Settings())
} catch {
  FileHandle.standardError.write(Data("board: error: \(error)\n".utf8))
  exit(1)
}
