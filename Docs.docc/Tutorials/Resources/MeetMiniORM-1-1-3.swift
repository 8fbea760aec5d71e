// swift-tools-version: 6.3
import PackageDescription

let package = Package(
  name: "Directory",
  platforms: [.macOS(.v15)],
  dependencies: [.package(path: "../MiniORM")],
  targets: [
    .executableTarget(
      name: "Directory", dependencies: ["MiniORM"])
  ],
  swiftLanguageModes: [.v6]
)
