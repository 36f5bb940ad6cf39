// The building blocks of the screens: rows, lists, dialogs, forms, menus, messages, fields.
import { h, icon, tell, watch, texts } from './core.js'
import { explain } from './server.js'

const t = texts({
  undo: ['Undo', 'Повернути'], clock: ['Time of day', 'Година'],
})

// Rows

/// One row. `lead` and `action` are elements; `mark` is an icon before the title; `details` are
/// elements or texts; `open` is a path (`tasks/ID`) or a function; `menu()` returns items for
/// `menu`; `keys` maps keys to functions; `swipe` is `[label, act]`; `state` are classes.
export function row({ key, lead, title, mark, details = [], action, open, menu: items, keys = {}, swipe, state = '', label }) {
  const name = [mark && icon(mark), h('span.text', title)]
  const named = typeof open == 'string' ? h('a.title', { href: '#' + open, 'aria-label': label }, name)
    : open ? h('button.title', { onclick: open, 'aria-label': label }, name) : h('span.title', { tabindex: '0', role: 'group', 'aria-label': label }, name)
  const more = items && h('button.more.quiet', { 'aria-label': t('more'), tabindex: '-1', onclick: event => menu(items(), event) }, icon('more'))
  const element = h('div', { role: 'listitem', class: ('row ' + state).trim(), 'data-key': key }, lead,
    h('div.body', named, details.length > 0 && h('div.details', details.map(each => typeof each == 'string' ? h('span', each) : each))),
    action, more)
  element.onkeydown = event => {
    const act = { ArrowDown: () => step(element, 1), ArrowUp: () => step(element, -1), ...keys }[event.key]
    if (act && event.target == named) { event.preventDefault(); act(event) }
  }
  if (items) element.oncontextmenu = event => { event.preventDefault(); menu(items(), event) }
  if (swipe) swipes(element, ...swipe)
  return element
}

function step(from, by) {
  const rows = [...from.closest('.groups, .card').querySelectorAll('.row')], title = rows[rows.indexOf(from) + by]?.querySelector('.title')
  title?.focus()
  title?.scrollIntoView({ block: 'nearest' })
}

/// A row that can be swiped. Beyond 96 px it acts.
function swipes(element, label, act) {
  let start
  const along = () => (getComputedStyle(element).direction == 'rtl' ? -1 : 1)
  element.dataset.swipe = label
  element.onpointerdown = event => { if (event.pointerType == 'touch') start = event }
  element.onpointermove = event => {
    if (!start || event.pointerId != start.pointerId) return
    const moved = (event.clientX - start.clientX) * along()
    if (moved > -12) return
    if (!element.classList.contains('drawn')) element.setPointerCapture(event.pointerId)
    element.classList.add('drawn')
    element.classList.toggle('enough', moved < -96)
    element.style.setProperty('--drawn', `${moved * along()}px`)
  }
  element.onpointerup = element.onpointercancel = event => {
    const enough = start && event.type == 'pointerup' && element.classList.contains('enough')
    start = null
    setTimeout(() => element.classList.remove('drawn', 'enough'))
    element.style.removeProperty('--drawn')
    if (enough) act()
  }
  element.addEventListener('click', event => { if (element.classList.contains('drawn')) { event.preventDefault(); event.stopPropagation() } }, true)
}

/// A round checkbox that marks something as done.
export const tick = (label, done, change) => {
  const box = h('input.tick', { type: 'checkbox', 'aria-label': label, onchange: () => change(box.checked) })
  box.checked = done
  return box
}

/// A list of any length; only rows near the viewport are in the document. `draw(item)` makes a row
/// whose `key` is `item[key]`. `update([{ id, title, items, state }])` shows the groups. An equal
/// item keeps its element.
export function list(draw, { key = 'id', height = 73, signal, label } = {}) {
  const root = h('div.groups'), groups = new Map(), rows = new Map(), size = 15
  const watcher = new IntersectionObserver(entries => {
    for (const { target, isIntersecting, boundingClientRect } of entries) isIntersecting ? fill(target) : empty(target, boundingClientRect.height)
  }, { rootMargin: '900px 0px' })
  signal?.addEventListener('abort', () => watcher.disconnect())

  function rowOf(item) {
    const text = JSON.stringify(item), old = rows.get(item[key])
    if (old?.text == text) return old.element
    const element = draw(item)
    rows.set(item[key], { text, element })
    return element
  }
  function fill(chunk) {
    const { items, first, total } = chunk.range
    const wanted = items.map(rowOf)
    if (total > size) wanted.forEach((each, index) => { each.ariaSetSize = total; each.ariaPosInSet = first + index + 1 })
    chunk.filled = true
    chunk.style.removeProperty('--height')
    if (wanted.length != chunk.children.length || wanted.some((each, index) => each != chunk.children[index])) chunk.replaceChildren(...wanted)
  }
  function empty(chunk, height) {
    if (!chunk.filled || chunk.contains(document.activeElement)) return
    for (const each of chunk.range.items) rows.delete(each[key])
    chunk.filled = false
    chunk.style.setProperty('--height', `${height}px`)
    chunk.replaceChildren()
  }
  function chunkOf(group, index) {
    const chunk = group.chunks[index] ?? h('div.chunk', { role: 'none' })
    if (!group.chunks[index]) { group.body.append(chunk); group.chunks.push(chunk); watcher.observe(chunk) }
    return chunk
  }
  return {
    root,
    update(next) {
      const focus = document.activeElement?.closest?.('.row'), kept = focus && root.contains(focus) && focus.dataset.key
      const order = kept && [...root.querySelectorAll('.row')].map(each => each.dataset.key)
      let budget = 14
      for (const [id, group] of groups) if (!next.some(each => each.id == id)) { group.root.remove(); groups.delete(id) }
      next.forEach(({ id, title, items, state }, place) => {
        if (!groups.has(id)) {
          const heading = h('h2'), body = h('div.card', { role: 'list' })
          groups.set(id, { root: h('section.group', heading, body), heading, body, chunks: [] })
        }
        const group = groups.get(id)
        if (root.children[place] != group.root) root.insertBefore(group.root, root.children[place] ?? null)
        group.root.className = ('group ' + (state ?? '')).trim()
        group.heading.textContent = title ?? ''
        group.heading.hidden = !title
        group.body.setAttribute('aria-label', title ?? label ?? '')
        const count = Math.ceil(items.length / size)
        while (group.chunks.length > count) { const chunk = group.chunks.pop(); watcher.unobserve(chunk); chunk.remove() }
        for (let index = 0; index < count; index++) {
          const chunk = chunkOf(group, index), part = items.slice(index * size, (index + 1) * size)
          chunk.range = { items: part, first: index * size, total: items.length }
          if (chunk.filled || budget > 0) fill(chunk)
          else chunk.style.setProperty('--height', `${part.length * height}px`)
          budget -= part.length
        }
      })
      // The focus stays on its row. If the row has gone, the focus moves to its successor.
      if (kept && !root.contains(document.activeElement)) {
        const from = order.indexOf(kept), near = [kept, ...order.slice(from + 1), ...order.slice(0, from).reverse()]
        const found = near.map(each => root.querySelector(`.row[data-key="${CSS.escape(each)}"] .title`)).find(Boolean)
        found?.focus({ preventScroll: true })
      }
    },
    /// Redraws the row of an item, or all rows.
    redraw(id) {
      if (id == null) rows.clear()
      else rows.delete(id)
      for (const group of groups.values()) for (const chunk of group.chunks) if (chunk.filled) fill(chunk)
    },
  }
}

/// The text of an empty screen, and a button for the next step (or an element).
export const empty = (sentence, label, act) => h('div.empty', h('p', sentence), act ? h('button.main', { onclick: act }, label) : label)

// Dialogs, menus and messages

/// Opens a dialog; `build(close)` returns its content. The kind `secret` closes when texts are
/// hidden. Resolves to the argument of `close`.
export function dialog(title, build, kind = '') {
  return new Promise(done => {
    let answer
    const back = document.activeElement
    const close = value => { answer = value; element.close() }
    const heading = h('h2', { id: 'dialog-title' }, title)
    const element = h('dialog', { class: kind || null, 'aria-labelledby': 'dialog-title' }, heading)
    element.append(...[build(close)].flat(2).filter(Boolean))
    element.onclose = () => { ended.abort(); element.remove(); back?.isConnected && back.focus({ preventScroll: true }); done(answer) }
    element.onclick = event => { if (event.target == element && kind == 'menu') element.close() }
    const ended = new AbortController()
    watch('end', () => element.close(), ended.signal)
    if (kind == 'secret') watch('hide', () => element.close(), ended.signal)
    document.body.append(element)
    element.showModal()
  })
}

/// A form in a dialog with *Cancel* and one button; `other` is `[label, act]`. The dialog shows
/// what `save` throws, and stays open.
export function form(title, { inputs, yes, save, danger, other, kind = '' }) {
  return dialog(title, close => {
    const error = h('p.error', { role: 'alert' }), send = h(danger ? 'button.main.danger' : 'button.main', { type: 'submit' }, yes)
    const tryTo = async (event, act) => {
      event.preventDefault()
      error.textContent = ''
      send.disabled = true
      try { close(await act() ?? true) } catch (problem) { error.textContent = explain(problem) }
      send.disabled = false
    }
    return h('form', { onsubmit: event => tryTo(event, save) }, inputs, error, h('div.buttons',
      other && [h('button.plain', { type: 'button', onclick: event => tryTo(event, other[1]) }, other[0]), h('span.space')], h('button', { type: 'button', onclick: () => close() }, t('cancel')), send))
  }, kind)
}

/// Asks for confirmation of an action that cannot be undone. Resolves to true after `yes`.
export const ask = (title, sentence, yes) => form(title, { inputs: [h('p', sentence)], yes, danger: true, save: () => true })

/// Opens a menu: `[{ label, act, danger, icon, checked }]`; at the bottom of a small page.
export function menu(items, event) {
  const done = dialog(t('more'), close => items.filter(Boolean).map(({ label, act, danger, icon: name, checked }) =>
    h(danger ? 'button.item.danger' : 'button.item', { 'aria-pressed': checked == null ? null : String(checked), onclick: () => { close(); act() } },
      name && icon(name), h('span', label), checked && icon('check'))), 'menu')
  const box = document.querySelector('dialog.menu'), at = event?.clientX ? { left: event.clientX, bottom: event.clientY } : event?.target?.getBoundingClientRect?.() ?? { left: 0, bottom: 0 }
  box.style.setProperty('--left', `${Math.max(8, Math.min(at.left, innerWidth - box.offsetWidth - 8))}px`)
  box.style.setProperty('--top', `${Math.max(8, Math.min(at.bottom, innerHeight - box.offsetHeight - 8))}px`)
  return done
}

const toasts = h('div.toasts', { role: 'status' })
/// Shows a message for six seconds, with a button if there is `undo`. A newer message replaces it.
export function toast(text, undo) {
  if (!toasts.isConnected) document.body.append(toasts)
  const button = undo && h('button', { onclick: () => { box.remove(); attempt(undo) } }, t('undo'))
  const box = h('div.toast', h('span', text), button)
  toasts.replaceChildren(box)
  let timer = setTimeout(() => box.remove(), 6000)
  box.onpointerenter = () => clearTimeout(timer)
  box.addEventListener('focusin', box.onpointerenter)
  box.onpointerleave = () => { timer = setTimeout(() => box.remove(), 3000) }
}
/// Closes the message before its *Undo* would undo a newer command.
export const untoast = () => toasts.replaceChildren()
/// Runs an action and shows its error. Then the result is undefined.
export async function attempt(act) {
  try { return await act() } catch (problem) { tell('problem', problem) }
}
// The whole page shows that the vault is locked or the server has ended.
watch('problem', problem => { if (!['locked', 'keys_replaced', 'unauthorized', 'unreachable'].includes(problem.code)) toast(explain(problem)) })
watch('end', () => toasts.replaceChildren())

// Fields

let number = 0
/// A labelled field: `field('Name', h('input', { … }), hint)`.
export function field(label, control, hint) {
  const input = control.day ?? control
  input.id ||= `field-${++number}`
  const note = hint && h('span.hint', { id: `${input.id}-hint` }, hint)
  if (note) input.setAttribute('aria-describedby', note.id)
  return h('div.field', h('label', { for: input.id }, label), control, note)
}
/// The control of a day and, if it is typed, a time of that day. Its value is empty, `2026-11-27` or `2026-11-27T09:00`.
export function whenField(value, more) {
  const day = h('input', { type: 'date', ...more }), clock = h('input', { type: 'time', 'aria-label': t('clock') }), control = h('div.pair', day, clock)
  Object.defineProperty(control, 'value', {
    get: () => day.value && day.value + (clock.value && `T${clock.value}`),
    set: text => { [day.value, clock.value = ''] = text.split('T') },
  })
  control.value = value
  return Object.assign(control, { day })
}
/// The tags typed into a field.
export const tagsOf = input => input.value.split(/[\s,]+/).map(each => each.replace(/^#/, '')).filter(Boolean)
/// A labelled switch. It switches back if `change(on)` throws.
export function toggle(label, on, change, hint) {
  const box = h('input.switch', { type: 'checkbox', role: 'switch', onchange: async () => {
    try { await change?.(box.checked) } catch (problem) { box.checked = !box.checked; tell('problem', problem) }
  } })
  box.checked = on
  const line = h('label.toggle', h('span.words', h('span', label), hint && h('small', hint)), box)
  return Object.assign(line, { box })
}
/// A search field with the key `/`. `change(text)` is called for each input.
export function searchField(pane, change) {
  const input = h('input', { type: 'search', placeholder: t('search'), 'aria-label': t('search'), spellcheck: 'false',
    oninput: () => change(input.value.trim().toLocaleLowerCase()),
    onkeydown: event => { if (event.key == 'Escape' && input.value) { event.stopPropagation(); input.value = ''; change('') } else if (event.key == 'ArrowDown') pane.root.querySelector('.row .title')?.focus() } })
  const line = h('div.search', icon('search'), input)
  pane.key('/', () => { line.hidden = false; input.focus(); input.select() })
  return line
}
