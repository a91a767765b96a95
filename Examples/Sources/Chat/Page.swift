/// What a browser shows: the lines that were said, and a field for the next one. A line is put into the page as
/// text, so that nobody can say a tag.
let page = """
  <!DOCTYPE html>
  <html lang="en">
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width">
  <title>Chat</title>
  <style>
    body { font: 16px sans-serif; max-width: 40em; margin: auto; padding: 1em }
    ol { list-style: none; padding: 0 }
    input { font: inherit; box-sizing: border-box; width: 100%; padding: 0.5em; position: sticky; bottom: 1em }
  </style>
  <ol></ol>
  <form><input aria-label="What you say" autocomplete="off" autofocus></form>
  <script>
    const [lines, form, input] = ["ol", "form", "input"].map(name => document.querySelector(name))
    const socket = new WebSocket(`${location.protocol == "https:" ? "wss" : "ws"}://${location.host}/chat`)

    function show(text) {
      const line = document.createElement("li")
      line.textContent = text
      lines.append(line)
      input.scrollIntoView()
    }

    socket.onmessage = event => show(event.data)
    socket.onclose = event => show(event.code == 1001 ? "* the chat ends" : `* you have left ${event.reason}`)
    form.onsubmit = event => {
      event.preventDefault()
      if (input.value) show(`> ${input.value}`)
      socket.send(input.value)
      input.value = ""
    }
  </script>
  </html>

  """
