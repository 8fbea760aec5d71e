// swift-tools-version: 6.3
import PackageDescription

// A package of its own, so that what it compares with is no dependency of MiniORM's users.
let package = Package(
  name: "Benchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "MiniORM", path: ".."),
    .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
  ],
  targets: [
    .executableTarget(
      name: "bench",
      dependencies: [
        .product(name: "MiniORM", package: "MiniORM"),
        .product(name: "GRDB", package: "GRDB.swift"),
      ],
      path: "Sources/Bench"
    ),
    // Work on whole files, against SQLCipher's own SQL.
    .executableTarget(
      name: "bench-files", dependencies: [.product(name: "MiniORM", package: "MiniORM")],
      path: "Sources/FileBench"
    ),
    // Continuous backups. scripts/maintainer/bench-backup runs it beside Litestream.
    .executableTarget(
      name: "bench-backup",
      dependencies: [
        .product(name: "MiniORM", package: "MiniORM"),
        .product(name: "MiniORMBackup", package: "MiniORM"),
      ],
      path: "Sources/BackupBench"
    ),
  ],
  swiftLanguageModes: [.v6]
)

// What is large. scripts/maintainer/bench-large writes a part of it first.
if Context.environment["MINIORM_BENCH_LARGE"] != nil {
  package.targets.append(
    .executableTarget(
      name: "bench-large", dependencies: [.product(name: "MiniORM", package: "MiniORM")],
      path: "Sources/LargeBench"
    ))
}
