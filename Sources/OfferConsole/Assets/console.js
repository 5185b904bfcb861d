// What a page does better with JavaScript; without it, every page has all it shows and does.

/** Copy buttons, where the browser lets a page copy. */
if (navigator.clipboard) {
  for (const text of document.querySelectorAll("[data-copy]")) {
    const button = document.createElement("button")
    button.type = "button"
    button.className = "copy"
    button.textContent = "Copy"
    button.setAttribute("aria-label", `Copy ${text.textContent}`)
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(text.textContent)
      button.textContent = "Copied"
    })
    text.after(button)
  }
}

/** `/` goes to the search. */
document.addEventListener("keydown", (event) => {
  const search = document.querySelector("input[type=search]")
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || !search) return
  if (event.target.closest("input, select, textarea")) return
  event.preventDefault()
  search.focus()
})

/** Times in the viewer's zone, which they name, and in the pages' English, with UTC beside the pointer. */
const clock = new Intl.DateTimeFormat("en-GB", {
  day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit", hourCycle: "h23", timeZoneName: "short",
})
const showTimes = (page) => {
  for (const time of page.querySelectorAll("time[datetime]")) {
    const date = new Date(time.dateTime)
    if (Number.isNaN(date.getTime())) continue
    time.title = time.textContent
    time.textContent = clock.format(date)
  }
}
showTimes(document)

/** How long ago, where the age of data matters. */
const ago = new Intl.RelativeTimeFormat("en", { numeric: "auto" })
for (const place of document.querySelectorAll("[data-age]")) {
  const date = new Date(place.querySelector("time")?.dateTime)
  if (Number.isNaN(date.getTime())) continue
  const minutes = Math.round((date - Date.now()) / 60_000)
  const [amount, unit] =
    Math.abs(minutes) < 90 ? [minutes, "minute"] : Math.abs(minutes) < 2_880 ? [Math.round(minutes / 60), "hour"] : [Math.round(minutes / 1_440), "day"]
  place.append(` (${ago.format(amount, unit)})`)
}

/** The catalog's editor plans while its text changes: by the form's own action, whose answer is this page again. */
const editor = document.querySelector("form#catalog")
if (editor) {
  const text = editor.querySelector("#text")
  let [planned, message] = [text.value, null]
  let timer, asked

  /** What a person is doing stays: the text, the focus and the message. */
  const show = (page) => {
    const focused = document.activeElement
    for (const id of ["planned", "applying"]) {
      const [old, next] = [document.getElementById(id), page.getElementById(id)]
      if (!next) return
      message = old.querySelector("#message") ?? message
      if (message) next.querySelector("#message")?.replaceWith(message)
      // The region is spoken politely, once.
      for (const part of next.querySelectorAll("[role]")) part.removeAttribute("role")
      if (!old.isEqualNode(next)) old.replaceChildren(...next.childNodes)
    }
    if (focused !== document.activeElement) document.getElementById(focused.id)?.focus()
  }
  const plan = async () => {
    const sent = text.value
    asked = new AbortController()
    try {
      const body = new URLSearchParams(new FormData(editor))
      body.set("live", "true")
      const answer = await fetch(editor.action, { method: "POST", body, signal: asked.signal, redirect: "error" })
      const page = new DOMParser().parseFromString(await answer.text(), "text/html")
      showTimes(page)
      // What is planned no longer fits the text, so it cannot be applied.
      if (!page.getElementById("planned")) {
        planned = null
        return document.getElementById("applying").replaceChildren()
      }
      show(page)
      planned = sent
    } catch {
      // The next change asks again, and the button says why it fails.
    }
  }
  const stop = () => {
    clearTimeout(timer)
    asked?.abort()
  }
  const soon = () => {
    stop()
    if (!document.hidden && text.value !== planned) timer = setTimeout(plan, 700)
  }
  text.addEventListener("input", soon)
  editor.addEventListener("submit", stop)
  document.addEventListener("visibilitychange", () => (document.hidden ? stop() : soon()))
}
