import ShaleCommand

@main
enum Main {
    static func main() { ShaleCommand.main() }
}
