#if HTTP || Everything
extension DiagnosticsPage {
  /// A loop's words become text of the page, and never a tag.
  static let script = #"""
    const $ = id => document.getElementById(id)
    const token = new URLSearchParams(location.search).get("token")
    const css = name => `var(--${name})`
    const history = new Map()   // of each loop, its last samples
    const open = new Set()      // which stacks are unfolded
    let chosen = null           // the name of the one loop that is shown, or null
    const KEEP = 120

    function make(tag, properties = {}, ...children) {
      const node = document.createElement(tag)
      for (const [name, value] of Object.entries(properties))
        if (name == "style") Object.assign(node.style, value); else node[name] = value
      node.append(...children.filter(child => child != null))
      return node
    }
    function draw(tag, attributes = {}, ...children) {
      const node = document.createElementNS("http://www.w3.org/2000/svg", tag)
      for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value)
      node.append(...children)
      return node
    }
    function time(seconds) {
      if (seconds == null) return "–"
      if (seconds >= 3600) return `${(seconds / 3600).toFixed(1)} h`
      if (seconds >= 100) return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`
      if (seconds >= 1) return `${seconds.toFixed(1)} s`
      if (seconds >= 1e-3) return `${+(seconds * 1e3).toPrecision(2)} ms`
      return `${+(seconds * 1e6).toPrecision(2)} µs`
    }
    const number = value => value >= 1e4 || Number.isInteger(value) ? Math.round(value).toLocaleString("en") : value.toFixed(1)
    function bytes(value) {
      for (const unit of ["B", "kB", "MB", "GB"]) {
        if (value < 1000 || unit == "GB") return `${value < 10 && unit != "B" ? value.toFixed(1) : Math.round(value)} ${unit}`
        value /= 1000
      }
    }
    const sum = (list, value) => list.reduce((all, entry) => all + (value(entry) || 0), 0)

    // Samples: what has grown since the one before, for each second.
    function remember(loop, now) {
      const samples = history.get(loop.name) ?? []
      history.set(loop.name, samples)
      const last = samples.at(-1)
      const sample = { now, figures: loop.figures, lag: loop.lag, busy: null, rates: {} }
      if (last?.figures && loop.figures) {
        for (const name in loop.figures)
          sample.rates[name] = Math.max(loop.figures[name] - (last.figures[name] ?? 0), 0) / ((now - last.now) / 1000)
        const elapsed = loop.lag && last.lag ? loop.lag.elapsed - last.lag.elapsed : 0
        if (elapsed > 0) sample.busy = Math.min(Math.max((loop.lag.busy - last.lag.busy) / elapsed, 0), 1)
      }
      if (loop.silentFor != null) sample.busy = 1
      samples.push(sample)
      if (samples.length > KEEP) samples.shift()
    }
    /// The lengths of turns, all of them or those since the oldest sample.
    function lengths(loops, recent) {
      const counts = new Map()
      for (const loop of loops) {
        const before = new Map(recent ? history.get(loop.name).find(sample => sample.lag)?.lag.lengths : [])
        for (const [bound, count] of loop.lag?.lengths ?? [])
          counts.set(bound, (counts.get(bound) ?? 0) + count - (before.get(bound) ?? 0))
      }
      return counts
    }

    function line(values, color, height = 34, top = Math.max(...values, 1e-9)) {
      const points = values.map((value, index) => `${((KEEP - values.length + index) / (KEEP - 1) * 300).toFixed(1)},${(height - 1 - value / top * (height - 3)).toFixed(1)}`)
      const svg = draw("svg", { viewBox: `0 0 300 ${height}`, preserveAspectRatio: "none", height })
      if (points.length > 1) svg.append(
        draw("polygon", { points: `${points[0].split(",")[0]},${height} ${points.join(" ")} 300,${height}`, fill: css(color), opacity: 0.16 }),
        draw("polyline", { points: points.join(" "), fill: "none", stroke: css(color), "stroke-width": 1.5, "vector-effect": "non-scaling-stroke" }))
      return svg
    }

    function showLoops(loops) {
      $("loops").replaceChildren(...loops.map(loop => {
        const silent = loop.silentFor != null, busy = history.get(loop.name).map(sample => sample.busy ?? 0)
        const stall = loop.stalls.find(stall => stall.goesOn)
        const tile = make("button", { className: silent ? "loop silent" : "loop", ariaPressed: String(chosen == loop.name) },
          make("b", {}, silent ? time(loop.silentFor) : loop.lag ? `${Math.round(busy.at(-1) * 100)} %` : ""),
          make("strong", {}, loop.name), make("br"),
          silent ? make("span", { className: "red" }, "does not answer", stall?.function ? ": " : "", stall?.function ? make("code", {}, stall.function) : "")
            : make("span", { className: "quiet" }, `${number(loop.figures["uv.eventloop.tasks"])} tasks, ${number(loop.figures["uv.eventloop.handles"])} handles`),
          silent && stall?.spawned ? make("div", { className: "quiet" }, "task of ", make("code", {}, stall.spawned)) : null,
          line(busy, silent ? "red" : "blue", 34, 1))
        tile.onclick = () => { chosen = chosen == loop.name ? null : loop.name; show() }
        return tile
      }))
    }

    function showLag(loops) {
      const measured = loops.filter(loop => loop.lag)
      if (!measured.length) {
        $("lag-about").textContent = ""
        return $("lag").replaceChildren("Turns aren't measured. Say ", make("code", {}, "try loop.configure(.lag)"), " in the program.")
      }
      const all = lengths(measured, false), recent = lengths(measured, true)
      $("lag-about").textContent = `how long ${number(sum(measured, loop => loop.lag.turns))} turns took: those of the last two minutes, and all in pale; the longest ${time(Math.max(...measured.map(loop => loop.lag.longest)))}`
      const low = Math.log10(1e-6), high = Math.log10(Math.max(2, ...all.keys()))
      const x = seconds => (Math.max(Math.log10(seconds), low) - low) / (high - low) * 960 + 20
      const most = Math.log2(Math.max(...all.values()) + 1), y = count => count > 0 ? Math.log2(count + 1) / most * 150 : 0
      const svg = draw("svg", { viewBox: "0 0 1000 185", role: "img", "aria-label": "histogram of the lengths of turns" })
      for (let tick = 1e-6, decade = -6; decade <= high; tick *= 10, decade++)
        svg.append(draw("line", { x1: x(tick), x2: x(tick), y1: 5, y2: 162, stroke: css("line") }),
          Object.assign(draw("text", { x: x(tick), y: 178, "text-anchor": "middle" }), { textContent: time(tick) }))
      const width = 960 / (high - low) * Math.log10(2) / 4 - 1
      for (const [counts, opacity] of [[all, 0.28], [recent, 1]])
        for (const [bound, count] of counts) {
          const color = bound >= 0.1 ? "red" : bound >= 0.01 ? "amber" : "blue"
          const bar = draw("rect", { x: x(bound) - width, y: 160 - y(count), width, height: y(count), fill: css(color), opacity, rx: 1.5 })
          bar.append(Object.assign(draw("title"), { textContent: `up to ${time(bound)}: ${number(count)} turns` }))
          svg.append(bar)
        }
      $("lag").replaceChildren(svg)
    }

    const STATES = [["reading", "blue"], ["writing", "amber"], ["idle", "teal"], ["closing", "red"]]
    function showConnections(loops) {
      const groups = [["accepted", "came through a listener"], ["opened", "opened by the program"]]
      const listeners = sum(loops, loop => loop.connections?.listeners)
      $("connections-about").textContent = `${number(listeners)} ${listeners == 1 ? "listener" : "listeners"}`
      $("connections").replaceChildren(...groups.flatMap(([group, about]) => {
        const counts = STATES.map(([state]) => sum(loops, loop => loop.connections?.[group][state]))
        const all = sum(counts, count => count)
        return [
          make("div", {}, make("strong", {}, number(all)), ` ${about}`),
          make("div", { className: "bar stack" }, ...STATES.map(([, color], index) => make("div", { style: { background: css(color), flex: String(counts[index]) } }))),
          make("div", { className: "keys" }, ...STATES.map(([state, color], index) =>
            make("span", {}, make("i", { className: "key", style: { background: css(color) } }), `${number(counts[index])} ${state}`)))]
      }))
    }

    function showTraffic(loops) {
      const rows = [["uv.bytes.read", "read", bytes, "blue"], ["uv.bytes.written", "written", bytes, "teal"], ["uv.connections.accepted", "connections", number, "amber"], ["uv.eventloop.jobs", "parts of tasks", number, "blue"]]
      const samples = loops.map(loop => history.get(loop.name)), length = Math.max(0, ...samples.map(list => list.length))
      $("traffic").replaceChildren(...rows.flatMap(([name, about, text, color]) => {
        // The last of each loop stand together.
        const values = Array.from({ length }, (_, index) => sum(samples, list => list.at(index - length)?.rates[name]))
        return [make("div", {}, make("strong", {}, `${text(values.at(-1) ?? 0)}/s `), make("span", { className: "quiet" }, about)), line(values, color, 26)]
      }))
    }

    function showTasks(loops) {
      const places = new Map()
      for (const task of loops.flatMap(loop => loop.tasks ?? [])) {
        const entry = places.get(task.place) ?? { place: task.place, count: 0, waiting: 0, oldest: 0 }
        places.set(task.place, { ...entry, count: entry.count + task.count, waiting: entry.waiting + task.waiting, oldest: Math.max(entry.oldest, task.oldest) })
      }
      const list = [...places.values()].sort((a, b) => b.count - a.count), most = list[0]?.count
      $("tasks-about").textContent = `${number(sum(list, task => task.count))}, by where they were spawned: those that wait for the loop, and the others in pale`
      $("tasks").replaceChildren(make("table", {}, ...list.slice(0, 20).map(task => make("tr", {},
        make("td", {}, make("code", {}, task.place)), make("td", { className: "number" }, number(task.count)),
        make("td", { style: { width: "45%" } }, make("div", { className: "bar", style: { width: `${task.count / most * 100}%` } },
          make("div", { style: { flex: String(task.waiting), background: css("blue") } }), make("div", { style: { flex: String(task.count - task.waiting), background: css("pale") } }))),
        make("td", { className: "quiet number" }, `oldest ${time(task.oldest)}`)))))
    }

    function showStalls(loops) {
      const stalls = loops.flatMap(loop => loop.stalls.map(stall => ({ ...stall, loop: loop.name }))).sort((a, b) => a.ago - b.ago)
      const unwatched = loops.filter(loop => !loop.stallsWatched)
      $("stalls-about").textContent = stalls.length ? "turns that took too long; unfold one for the calls that it was in" : ""
      if (!stalls.length) return $("stalls").replaceChildren(...(unwatched.length
        ? ["Nobody watches for stalls. Say ", make("code", {}, "try loop.watchStalls { _ in }"), " (UVStalls) in the program to see which function blocks a loop."] : ["None."]))
      $("stalls").replaceChildren(...stalls.slice(0, 12).map(stall => {
        const key = `${stall.loop} ${stall.stack} ${Math.round((Date.now() / 1000 - stall.ago) / 2)}`
        const row = make("details", { open: open.has(key) },
          make("summary", {}, make("strong", { className: stall.goesOn ? "red" : "" }, `${stall.goesOn ? "" : "over "}${time(stall.duration)}`), " in ",
            make("code", {}, stall.function ?? "an unknown function"),
            make("span", { className: "quiet" }, ` · ${stall.loop} · ${stall.goesOn ? "goes on" : `${time(stall.ago)} ago`}${stall.spawned ? ` · task of ${stall.spawned}` : ""}`)),
          make("ol", {}, ...stall.stack.map(frame => make("li", {}, make("code", {}, frame)))))
        row.ontoggle = () => row.open ? open.add(key) : open.delete(key)
        return row
      }))
    }

    function showWaits(loops) {
      const tasks = loops.flatMap(loop => (loop.snapshot?.tasks.entries ?? []).filter(task => task.wait).map(task => ({ ...task, loop: loop.name })))
      tasks.sort((a, b) => b.wait.age - a.wait.age)
      $("waits").replaceChildren(tasks.length ? make("table", {},
        make("tr", {}, ...["for", "waits for", "spawned", "loop"].map(text => make("th", {}, text))),
        ...tasks.slice(0, 12).map(task => make("tr", {},
          make("td", { className: "number" }, time(task.wait.age / 1000)),
          make("td", {}, make("strong", {}, task.wait.operation), ` ${task.wait.subject ?? ""}`),
          make("td", {}, make("code", {}, task.place), task.name ? ` ${task.name}` : ""), make("td", { className: "quiet" }, task.loop))))
        : "Nobody waits.")
    }

    function showFigures(loops) {
      const names = [...new Set(loops.flatMap(loop => Object.keys(loop.figures ?? {})))]
      $("figures").replaceChildren(make("div", { className: "columns" }, ...names.map(name => make("div", {},
        make("code", {}, name), make("span", {}, number(sum(loops, loop => loop.figures?.[name])))))))
    }

    let latest = null
    function show() {
      if (!latest) return
      const { process, loops } = latest
      if (!loops.some(loop => loop.name == chosen)) chosen = null
      const shown = chosen ? loops.filter(loop => loop.name == chosen) : loops
      document.title = loops.some(loop => loop.silentFor != null) ? `● ${process.program} does not answer` : process.program
      $("process").textContent = `${process.program} · process ${process.id} · ${bytes(process.memory ?? 0)} · libuv ${process.libuv}`
      showLoops(loops)
      for (const part of [showLag, showConnections, showTraffic, showTasks, showStalls, showWaits, showFigures]) part(shown)
    }
    function say(text, isLost) {
      $("state").textContent = text
      $("state").className = isLost ? "lost" : ""
    }
    async function look() {
      try {
        const answer = await fetch("snapshot.json", { headers: token ? { Authorization: `Bearer ${token}` } : {}, cache: "no-store" })
        if (!answer.ok) throw new Error(await answer.text())
        latest = await answer.json()
        for (const loop of latest.loops) remember(loop, performance.now())
        show()
        say(chosen ? `${chosen} alone` : latest.loops.length == 1 ? "live" : `live, ${latest.loops.length} loops`, false)
      } catch (error) { say(`no answer: ${error.message}`, true) }
      setTimeout(look, 1000)
    }
    look()

    """#
}
#endif
