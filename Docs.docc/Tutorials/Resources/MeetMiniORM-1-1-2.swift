// swift-tools-version: 6.3
import PackageDescription

let package = Package(
  name: "Directory",
  platforms: [.macOS(.v15)],
  targets: [
    .executableTarget(name: "Directory")
  ],
  swiftLanguageModes: [.v6]
)
