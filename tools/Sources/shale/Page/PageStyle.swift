/// The style sheet of the page, in a light and a dark variant.
enum PageStyle {
    static let text = """
        :root { color-scheme: light dark; --ink: #1d2127; --soft: #606a76; --line: #d9dee4; --ground: #ffffff;
          --stored: #3566a8; --live: #2f7d4f; --purgeable: #c98a1b; --dead: #b0453a; }
        @media (prefers-color-scheme: dark) { :root { --ink: #e6e9ed; --soft: #9aa4b0; --line: #353b43;
          --ground: #15181c; --stored: #6f9fe0; --live: #5cb883; --purgeable: #e0ae55; --dead: #e07f74; } }
        body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--ground);
          max-width: 800px; margin: 2em auto; padding: 0 1em; }
        h1 { font-size: 1.4em; overflow-wrap: anywhere; }
        h2 { font-size: 1.05em; margin: 2em 0 .5em; border-bottom: 1px solid var(--line); }
        svg { width: 100%; height: auto; font: 12px system-ui, sans-serif; fill: var(--ink); }
        svg .label { text-anchor: end; fill: var(--soft); }
        .stored { fill: var(--stored); background: var(--stored); }
        .live { fill: var(--live); background: var(--live); }
        .purgeable { fill: var(--purgeable); background: var(--purgeable); }
        .dead { fill: var(--dead); background: var(--dead); }
        .key { display: inline-block; width: .9em; height: .9em; border-radius: 2px; }
        .figures { display: flex; flex-wrap: wrap; gap: 1.5em; }
        .figures b { display: block; font-size: 1.3em; }
        .figures span, .foot { color: var(--soft); font-size: .9em; }
        table { border-collapse: collapse; }
        th, td { text-align: left; padding: .2em 1.2em .2em 0; border-bottom: 1px solid var(--line); }
        .n { text-align: right; font-variant-numeric: tabular-nums; }
        """
}
