import Pages

/// The style of the page, light and dark. It contains no quotes and angle brackets: the page escapes them, but a style
/// sheet does not unescape them.
enum StyleSheet {
    static let all = [colors, page, tables, charts]

    /// The style of a chart that stands alone, outside of a page.
    static let drawings = colors + charts + ".ground { fill: var(--card); } .legend-name { fill: var(--ink); }\n"

    private static let colors = """
        :root { color-scheme: light dark; --ink: #1c2024; --quiet: #5d6670; --page: #f6f6f4; --card: #ffffff;
          --edge: #dcdcd7; --grid: #e6e6e1; --warn: #b3261e; --good: #1a7f4b; --stop: #f3c6c2;
          --shale: #d4500c; --leveldb: #2c6fbb; --rocksdb: #7b4bb3; --lmdb: #1d8a6b; --sqlite: #a0760b;
          --grdb: #c4a24a; --userdefaults: #64748b; --files: #a05a7c; --other: #8a8f98; }
        @media (prefers-color-scheme: dark) {
          :root { --ink: #e6e7e9; --quiet: #9aa3ad; --page: #15171a; --card: #1d2024;
            --edge: #31363c; --grid: #2b3036; --warn: #ff8a80; --good: #5fd39a; --stop: #5a2723;
            --shale: #ff8a4c; --leveldb: #6aa9f0; --rocksdb: #b48cf0; --lmdb: #4fc9a4; --sqlite: #e0b040;
            --grdb: #f0d68a; --userdefaults: #94a3b8; --files: #e08fb4; --other: #a3a8b0; } }

        """

    private static let page = """
        * { box-sizing: border-box; }
        html { -webkit-text-size-adjust: 100%; }
        body { margin: 0; background: var(--page); color: var(--ink);
          font: 16px/1.5 system-ui, -apple-system, Segoe UI, Roboto, Helvetica Neue, sans-serif; }
        header, main, footer { max-width: 76rem; margin: 0 auto; padding: 0 1rem; }
        header { padding-top: 2rem; }
        h1 { font-size: 2rem; line-height: 1.15; margin: 0 0 .5rem; letter-spacing: -.02em; }
        h2 { font-size: 1.35rem; line-height: 1.2; margin: 0 0 .75rem; letter-spacing: -.01em; }
        h3 { font-size: 1.05rem; margin: 1.75rem 0 .5rem; }
        p { max-width: 44rem; margin: 0 0 1rem; }
        a { color: inherit; text-underline-offset: .15em; }
        .lead, .quiet, footer { color: var(--quiet); }
        section { padding: 2rem 0 .5rem; }
        nav ul { list-style: none; display: flex; flex-wrap: wrap; gap: .25rem 1rem; margin: 0; padding: 0;
          font-size: .875rem; }
        .cards { display: grid; gap: 1rem; grid-template-columns: repeat(auto-fit, minmax(min(100%, 23rem), 1fr)); }
        .pair { display: grid; gap: 1.25rem 2rem; \
        grid-template-columns: repeat(auto-fit, minmax(min(100%, 21rem), 1fr)); }
        .card { margin: 0 0 1rem; padding: 1rem; background: var(--card); border: 1px solid var(--edge);
          border-radius: .5rem; min-width: 0; }
        .cards .card { margin: 0; }
        figcaption { font-size: .875rem; margin-bottom: .75rem; }
        .lost { display: block; color: var(--warn); }
        details { margin: 1rem 0; }
        summary { cursor: pointer; color: var(--quiet); font-size: .875rem; }
        .machine { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1.25rem; margin: 0; }
        .machine dt { color: var(--quiet); }
        .machine dd { margin: 0; overflow-wrap: anywhere; }
        .notes { max-width: 46rem; padding-left: 1.1rem; }
        .notes li { margin-bottom: .5rem; }
        pre { overflow: auto; max-height: 32rem; padding: 1rem; background: var(--card); border: 1px solid var(--edge);
          border-radius: .5rem; font: 12px/1.45 ui-monospace, SF Mono, Menlo, Consolas, monospace; }
        :focus-visible { outline: 2px solid var(--shale); outline-offset: 2px; }
        @media (max-width: 36rem) { .machine { grid-template-columns: 1fr; gap: 0; }
          .machine dd { margin-bottom: .5rem; } header { padding-top: 1.25rem; } }
        @media print { body { background: none; } .card { break-inside: avoid; } }

        """

    private static let tables = """
        .scroll { overflow-x: auto; background: var(--card); border: 1px solid var(--edge); border-radius: .5rem;
          margin: .75rem 0; }
        table { border-collapse: collapse; width: 100%; font-size: .8125rem; font-variant-numeric: tabular-nums; }
        caption { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
        th, td { padding: .35rem .75rem; text-align: right; vertical-align: top; white-space: nowrap; }
        th { font-weight: 500; }
        thead th { color: var(--quiet); font-weight: 600; border-bottom: 1px solid var(--edge); }
        tbody tr + tr th, tbody tr + tr td { border-top: 1px solid var(--grid); }
        .words { text-align: left; }
        .figures { white-space: normal; min-width: 16rem; }
        .strong { font-weight: 700; }
        .met { color: var(--good); font-weight: 600; }
        .missed { color: var(--warn); font-weight: 600; }
        .unknown { color: var(--quiet); }
        @media (max-width: 36rem) {
          .stack table, .stack tbody, .stack tr, .stack th, .stack td { display: block; white-space: normal; }
          .stack thead { position: absolute; clip-path: inset(50%); }
          .stack tbody tr { padding: .6rem .75rem; }
          .stack tbody tr + tr { border-top: 1px solid var(--grid); }
          .stack tbody tr th, .stack tbody tr td { padding: 0; border: 0; min-width: 0; }
          .stack tbody tr th { font-weight: 600; } }

        """

    private static let charts = """
        .chart { display: block; overflow: visible; font-size: 12px; font-variant-numeric: tabular-nums; }
        .chart text { fill: var(--ink); }
                .strip { margin-top: 1rem; }
        .chart .strong { font-weight: 700; }
        .chart .ahead { fill: var(--warn); font-weight: 600; }
        .chart .value { fill: var(--quiet); }
        .chart .value.ahead { fill: var(--warn); font-weight: 400; }
        .chart .tick, .chart .axis-title { fill: var(--quiet); font-size: 11px; }
        .halo { paint-order: stroke; stroke: var(--card); stroke-width: 4px; stroke-linejoin: round; }
        .axis { stroke: var(--quiet); stroke-width: 1; }
        .grid { stroke: var(--grid); stroke-width: 1; }
        .even { stroke: var(--ink); stroke-width: 1.5; }
        .range { stroke: var(--edge); stroke-width: 2; }
        .whisker { stroke: var(--ink); stroke-width: 1; }
        .field { overflow: visible; }
        .c-shale { --tone: var(--shale); } .c-leveldb { --tone: var(--leveldb); }
        .c-rocksdb { --tone: var(--rocksdb); } .c-lmdb { --tone: var(--lmdb); } .c-sqlite { --tone: var(--sqlite); }
        .c-grdb { --tone: var(--grdb); } .c-userdefaults { --tone: var(--userdefaults); }
        .c-files { --tone: var(--files); } .c-other { --tone: var(--other); }
        .bar { fill: var(--tone); }
        .bar.variant { fill-opacity: .55; }
        .bar.second { fill-opacity: .5; }
        .curve { fill: none; stroke: var(--tone); stroke-width: 1.75; stroke-linejoin: round; }
        .curve.c-shale { stroke-width: 2.75; }
        .curve.c-leveldb { stroke-dasharray: 7 3; } .curve.c-rocksdb { stroke-dasharray: 2 2; }
        .curve.c-lmdb { stroke-dasharray: 10 3 2 3; } .curve.c-sqlite { stroke-dasharray: 4 4; }
        .curve.variant { stroke-opacity: .6; stroke-width: 1.25; }
        .dot { fill: var(--tone); stroke: var(--card); stroke-width: 1.5; }
        .dot.variant { fill-opacity: .55; }
        .area { fill: var(--tone); fill-opacity: .35; stroke: var(--tone); stroke-width: 1; }
        .stopped { fill: var(--stop); }
        .needle { stroke: var(--quiet); stroke-width: 1; fill: none; }
        .needle.stall { stroke: var(--warn); stroke-width: 2; }
        .legend { list-style: none; display: flex; flex-wrap: wrap; gap: .1rem .9rem; margin: .25rem 0 0; padding: 0;
          font-size: .75rem; color: var(--quiet); }
        .legend li { display: flex; align-items: center; gap: .35rem; }

        """
}

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
