#if HTTP || Everything
/// The page, which is one file: it loads nothing but `snapshot.json`.
enum DiagnosticsPage {
  static func text(nonce: String) -> String {
    #"""
    <!DOCTYPE html>
    <html lang="en">
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width">
    <title>Event loops</title>
    <link rel="icon" href="data:,">
    <style nonce="\#(nonce)">\#(style)</style>
    <header><h1>Event loops</h1><span id="process"></span><span id="state" role="status"></span></header>
    <main>
      <section id="loops" aria-label="Loops"></section>
      <section class="wide"><h2>Lag <small id="lag-about"></small></h2><div id="lag"></div></section>
      <section><h2>Connections <small id="connections-about"></small></h2><div id="connections"></div></section>
      <section><h2>Traffic <small>of the last two minutes</small></h2><div id="traffic"></div></section>
      <section class="wide"><h2>Tasks <small id="tasks-about"></small></h2><div id="tasks"></div></section>
      <section class="wide"><h2>Stalls <small id="stalls-about"></small></h2><div id="stalls"></div></section>
      <section class="wide"><h2>Who waits longest</h2><div id="waits"></div></section>
      <section class="wide"><h2>Figures <small>since the loops began</small></h2><div id="figures"></div></section>
    </main>
    <script nonce="\#(nonce)">\#(script)</script>
    </html>

    """#
  }

  private static let style = #"""
    :root { color-scheme: light dark; --back: #f4f4f1; --card: #fff; --ink: #1c1e21; --quiet: #6b7077; --line: #e3e3de;
      --blue: #2f6fde; --teal: #1a9c86; --amber: #d98a00; --red: #d23b3b; --pale: #c9d8f5; }
    @media (prefers-color-scheme: dark) { :root { --back: #121417; --card: #1b1e23; --ink: #e9eaec; --quiet: #969ca5; --line: #2c3036;
      --blue: #6ea0ff; --teal: #3ecdb3; --amber: #f2b13c; --red: #ff6b6b; --pale: #2b3d63; } }
    * { box-sizing: border-box }
    body { margin: 0; font: 14px/1.45 system-ui, sans-serif; background: var(--back); color: var(--ink) }
    header { display: flex; gap: 1em; align-items: baseline; padding: 1.2em 1.5em 0.4em }
    h1 { font-size: 1.3em; margin: 0 }
    h2 { font-size: 1em; margin: 0 0 0.7em }
    small, header span, .quiet { color: var(--quiet); font-weight: normal; font-size: 0.92em }
    #state { margin-left: auto }
    #state::before { content: "● "; color: var(--teal) }
    #state.lost::before { color: var(--red) }
    main { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(30em, 100%), 1fr)); gap: 1em; padding: 0.6em 1.5em 2em }
    section { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 1em 1.1em; min-width: 0 }
    .wide, #loops { grid-column: 1 / -1 }
    #loops { background: none; border: 0; padding: 0; display: grid; gap: 1em; grid-template-columns: repeat(auto-fit, minmax(13em, 1fr)) }
    .loop { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 0.8em 1em; text-align: left; font: inherit;
      color: inherit; cursor: pointer; min-width: 0 }
    .loop[aria-pressed=true] { outline: 2px solid var(--blue) }
    .loop b { float: right; font-size: 1.5em; line-height: 1; font-variant-numeric: tabular-nums }
    .loop svg { margin-top: 0.5em }
    .silent { background: color-mix(in srgb, var(--red) 12%, var(--card)); border-color: var(--red); grid-column: span 2 }
    .silent b { color: var(--red) }
    code { font: 0.93em ui-monospace, monospace; overflow-wrap: anywhere }
    svg { display: block; width: 100% }
    svg text { fill: var(--quiet); font: 11px system-ui, sans-serif }
    table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums }
    td, th { text-align: left; padding: 0.22em 1em 0.22em 0; border-top: 1px solid var(--line); vertical-align: top }
    th { font-weight: normal; color: var(--quiet); border: 0; font-size: 0.92em }
    td.number, th.number { text-align: right; white-space: nowrap }
    .bar { height: 0.85em; border-radius: 3px; display: flex; overflow: hidden; min-width: 2px }
    .stack { height: 1.5em; margin: 0.2em 0 0.5em; background: var(--line); border-radius: 5px }
    .key { display: inline-block; width: 0.75em; height: 0.75em; border-radius: 2px; margin-right: 0.4em }
    .keys { display: flex; flex-wrap: wrap; gap: 0.2em 1.1em; margin-bottom: 0.9em }
    .red { color: var(--red) }
    details summary { cursor: pointer }
    ol { margin: 0.3em 0 0.6em; padding-left: 2.2em; color: var(--quiet) }
    .columns { columns: 19em; column-gap: 2.5em }
    .columns div { display: flex; justify-content: space-between; gap: 1em; break-inside: avoid; border-top: 1px solid var(--line); padding: 0.15em 0 }

    """#
}
#endif
