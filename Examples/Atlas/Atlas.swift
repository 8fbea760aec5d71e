@main struct Atlas { static func main() {} }
