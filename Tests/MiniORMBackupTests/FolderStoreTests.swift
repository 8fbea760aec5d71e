import Foundation
import MiniORM
import MiniORMBackup
import Testing

@Suite("A store in a folder")
struct FolderStoreTests {
  @Test("objects are stored, listed in byte order by prefix, replaced and deleted")
  func verbs() async throws {
    try await withBackupCase { place in
      let store = try FolderStore(place.folder + "/one/two")
      for name in ["b/2", "b/10", "a-1", "b-1/x", "a/b/c"] { try store.put(name, Array(name.utf8)) }
      let all = try store.list("")
      #expect(all == ["a-1", "a/b/c", "b-1/x", "b/10", "b/2"])
      let some = try store.list("b/")
      #expect(some == ["b/10", "b/2"])
      let within = try store.list("a/b/c")
      #expect(within == ["a/b/c"])
      let none = try store.list("c/")
      #expect(none == [])
      try store.put("a-1", [])
      let replaced = try store.get("a-1")
      #expect(replaced == [])
      try store.delete("a-1")
      try store.delete("a-1")
      let deleted = try store.get("a-1")
      #expect(deleted == nil)
      let reopened = try FolderStore(place.folder + "/one/two").get("b/10")
      #expect(reopened == Array("b/10".utf8))
    }
  }

  @Test(
    "a name that could leave the folder, or that another system writes differently, is refused",
    arguments: [
      "", "..", "../a", "a/../b", "/a", "a/", "a//b", "A", "a.b", "a b", "a\0b", "ä", "a\\b",
    ])
  func names(name: String) async throws {
    try await withBackupCase { place in
      let store = try place.store
      let errors = [
        #expect(throws: DatabaseError.self) { try store.put(name, [1]) },
        #expect(throws: DatabaseError.self) { try store.get(name) },
        #expect(throws: DatabaseError.self) { try store.delete(name) },
      ]
      #expect(errors.allSatisfy { $0?.code == .misuse })
      let names = try store.list("")
      #expect(names == [])
    }
  }

  @Test("the temporary file of a killed program is not listed")
  func temporary() async throws {
    try await withBackupCase { place in
      let store = try place.store
      try store.put("a/b", [1])
      for name in ["a/b.miniorm-1", "a/.hidden", "README.md"] {
        try Data([1]).write(to: URL(fileURLWithPath: "\(store.path)/\(name)"))
      }
      let names = try store.list("")
      #expect(names == ["a/b"])
    }
  }

  @Test(
    "a folder that was deleted, emptied or replaced is refused, and not created again",
    arguments: ["delete", "empty", "replace", "remount"])
  func disappeared(fault: String) async throws {
    try await withBackupCase { place in
      let store = try place.store
      try store.put("a/b", [1])
      let files = FileManager.default
      try files.moveItem(atPath: store.path, toPath: store.path + "-away")
      if fault != "delete" {
        try files.createDirectory(atPath: store.path, withIntermediateDirectories: false)
      }
      if fault == "replace" { try FolderStore(store.path).put("a/b", [2]) }
      if fault == "remount" {
        try files.removeItem(atPath: store.path)
        try files.moveItem(atPath: store.path + "-away", toPath: store.path)
        let bytes = try store.get("a/b")
        #expect(bytes == [1])
        _ = try FolderStore(store.path, creates: false)
        return
      }
      let before = try? files.subpathsOfDirectory(atPath: store.path).sorted()
      let errors = [
        #expect(throws: DatabaseError.self) { try store.put("a/c", [1]) },
        #expect(throws: DatabaseError.self) { try store.get("a/b") },
        #expect(throws: DatabaseError.self) { try store.list("") },
        #expect(throws: DatabaseError.self) { try store.delete("a/b") },
      ]
      #expect(errors.allSatisfy { $0?.message.contains("is mounted") ?? false })
      let after = try? files.subpathsOfDirectory(atPath: store.path).sorted()
      #expect(before == after)
      guard fault != "replace" else { return }
      let refused = #expect(throws: DatabaseError.self) {
        try FolderStore(store.path, creates: false)
      }
      #expect(refused?.code == .cannotOpen)
    }
  }
}
