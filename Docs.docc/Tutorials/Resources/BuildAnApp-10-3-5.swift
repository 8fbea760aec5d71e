// swift-tools-version: 6.3
import PackageDescription

let package = Package(
  name: "Journal",
  platforms: [.macOS(.v15)],
  dependencies: [.package(path: "../MiniORM")],
  targets: [
    .executableTarget(
      name: "Journal", dependencies: ["MiniORM"]),
    .testTarget(
      name: "JournalTests",
      dependencies: [
        "Journal", "MiniORM",
        .product(name: "MiniORMTesting", package: "MiniORM"),
      ],
      exclude: ["Schemas"]),
  ],
  swiftLanguageModes: [.v6]
)
