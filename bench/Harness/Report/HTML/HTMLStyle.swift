/// How the page looks: no font, script or picture comes from elsewhere.
enum HTMLStyle {
  /// The colours by name: in the light and in the dark. `s0` is C's, `s5` that of programs of others.
  private static let palette = [
    ("paper", "#ffffff", "#12161b"), ("ink", "#1b1f24", "#e6e9ed"), ("faint", "#57606a", "#9aa5b1"),
    ("line", "#d5dae0", "#333c46"), ("band", "#f4f6f8", "#1b2129"), ("s0", "#59636e", "#aab4bf"),
    ("s1", "#0860b5", "#6cb6ff"), ("s2", "#b45309", "#f0a35e"), ("s3", "#0f766e", "#4fd1c0"),
    ("s4", "#a21c6b", "#f28cc9"), ("s5", "#98a1ab", "#6b7682"), ("bad", "#b42318", "#ff8a80"),
    ("good", "#116329", "#6fdd8b"),
  ]

  static let colours = """
    :root { color-scheme: light dark; \(palette.map { "--\($0.0): \($0.1);" }.joined(separator: " ")) }
    @media screen and (prefers-color-scheme: dark) { :root { \(palette.map { "--\($0.0): \($0.2);" }
      .joined(separator: " ")) } }
    """

  /// `text` with the colours themselves in place of their variables, which many viewers of pictures don't know.
  static func resolved(_ text: String, isDark: Bool = false) -> String {
    palette.reduce(text) { $0.replacing("var(--\($1.0))", with: isDark ? $1.2 : $1.1) }
  }

  static let drawing = """
    svg text { fill: var(--ink); font-size: 12px; paint-order: stroke; stroke: var(--paper); stroke-width: 3px }
    svg .faint { fill: var(--faint) } svg .grid { stroke: var(--line); stroke-width: 1 }
    svg .axis { stroke: var(--faint); stroke-width: 1 } svg .curve { fill: none; stroke-width: 2 }
    """

  static let sheet = """
    \(colours)
    * { box-sizing: border-box }
    body { margin: 0 auto; padding: 1.5rem 1rem 4rem; max-width: 84rem; background: var(--paper);
      color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
    h1 { font-size: 1.6rem; margin: 0 0 .3rem } h2 { font-size: 1.25rem; margin: 2.4rem 0 .6rem }
    h3 { font-size: 1rem; margin: 1.4rem 0 .3rem } p { margin: .4rem 0 } .faint { color: var(--faint) }
    p.facts { font-size: .9rem; overflow-wrap: anywhere }
    .scroll { overflow-x: auto; -webkit-overflow-scrolling: touch }
    table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: .875rem }
    th, td { padding: .25rem .45rem; text-align: right; white-space: nowrap; border-bottom: 1px solid var(--line) }
    th:first-child, td:first-child { text-align: left; position: sticky; left: 0; background: var(--paper) }
    th.text, td.text { text-align: left }
    ul.notes { margin: .6rem 0; padding-left: 1.2rem; font-size: .875rem }
    thead th { color: var(--faint); font-weight: 600; border-bottom-width: 2px }
    .charts { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 30rem), 1fr)); gap: 1rem 2rem }
    figure { margin: .5rem 0; break-inside: avoid } figcaption { font-weight: 600; font-size: .95rem }
    figcaption span { color: var(--faint); font-weight: 400 }
    svg { display: block; width: 100%; height: auto; overflow: visible }
    \(drawing)
    svg .mark { stroke: var(--paper); stroke-width: 1 }
    svg .step { stroke: var(--bad); stroke-width: 1.5; stroke-dasharray: 4 3 }
    .key { display: flex; flex-wrap: wrap; gap: .2rem 1.1rem; padding: 0; margin: .6rem 0; list-style: none; font-size: .875rem }
    .key svg { width: 1.6rem; height: .8rem; display: inline-block; vertical-align: middle; margin-right: .35rem }
    a { color: var(--s1) }
    @media print { :root { --ink: #000; --faint: #444; --line: #bbb; --band: #eee }
      html, body { font-size: 11px } body { max-width: none; padding: 0 } .scroll { overflow: visible }
      th:first-child, td:first-child { position: static }
      table { font-size: 8.5px } #table table { break-inside: avoid } th, td { padding: .1rem .3rem }
      h3, figcaption { font-size: 11px; break-after: avoid } .charts { grid-template-columns: 1fr 1fr }
      h2 { break-after: avoid } tr { break-inside: avoid } nav { display: none } }
    """
}
