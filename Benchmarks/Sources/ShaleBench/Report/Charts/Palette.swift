import Pages

/// The appearance of contenders in charts. Each peer has a colour, set in the style sheet. Variants have dashes or a
/// lighter fill, so that colour is never the only difference.
enum Palette {
    private static let known: Set<String> = [
        "shale", "leveldb", "rocksdb", "lmdb", "sqlite", "grdb", "userdefaults", "files",
    ]

    static func style(_ contender: Contender) -> String {
        let color = known.contains(contender.peer) ? "c-\(contender.peer)" : "c-other"
        return contender.variant.isEmpty ? color : color + " variant"
    }

    /// Returns the names with samples of their lines or dots.
    static func legend(_ contenders: [Contender], ofDots: Bool = false) -> Markup {
        tag("ul", ["class": "legend"]) {
            for contender in contenders {
                tag("li") {
                    tag(
                        "svg",
                        [
                            "xmlns": "http://www.w3.org/2000/svg", "width": "22", "height": "10",
                            "aria-hidden": "true", "class": "sample",
                        ]
                    ) {
                        if ofDots {
                            tag("circle", ["cx": "11", "cy": "5", "r": "5", "class": "dot " + style(contender)])
                        } else {
                            tag("path", ["d": "M0 5H22", "class": "curve " + style(contender)])
                        }
                    }
                    contender.name
                }
            }
        }
    }
}
