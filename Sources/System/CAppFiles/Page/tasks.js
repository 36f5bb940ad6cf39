// Tasks (S3, S4, S18, S21): the list in groups by due date.
import { compare, go, h, icon, place, renewFrame, screen, state, tell, watch } from './core.js'
import { bulk, chosen, clearChosen, pick, postpone } from './bulk.js'
import { dateOf, dayAfter, daysTo, everySo, isDay, isPast, units, when } from './dates.js'
import { ask, attempt, empty, fields, focusRow, hits, list, menu, row, searchField, tick, toast, untoast } from './parts.js'
import { countdown } from './reveal.js'
import { api } from './server.js'
import { adder, more, texts, told, versions } from './shared.js'
import { showTask } from './task.js'
import { echo, showTaskForm } from './task-form.js'
import { verified } from './verify.js'

const t = texts({
  late: 'Overdue', waits: 'Waiting', finished: ['Done', 'Виконані'], lists: 'Lists',
  lately: '{n} done in the last 24 hours',
  protected: 'Protected task', showAll: 'Show all protected tasks',
  steps: '{done} of {n} steps', reminds: 'Reminds',
  dayBefore: 'a day before', before: '{n} before',
  removed: 'Task deleted.', next: 'Done. Next: {when}',
  markAll: 'Mark all as complete', markedAll: 'All marked as complete.',
  openOnly: 'Hide completed', waiting: 'Show tasks that wait', filter: 'Filter', all: 'All tasks', without: 'Remove the filter {what}',
  elsewhere: 'Repeats in another program', endSeries: 'It repeats there by a rule that is not supported here. All of it ends.', end: 'Mark as complete',
  scheduled: 'Scheduled', added: 'Added: {what}', isChosen: 'selected',
  none: 'No tasks yet.', addFirst: 'Add a task', showEverything: 'Show all tasks',
})

let all = [], lists = [], tags = [], whole = false, order, asked
// The digests of groups of tasks, by the two characters with which their ids begin. The server sends groups with another one.
let groups = {}
const nothing = { view: null, list: null, tag: null, text: '', open: false, waiting: false }, filter = { ...nothing }
let typed = ''
// The visible texts of protected tasks. They are kept nowhere else.
const revealed = new Map()
let redraw = () => {}
/// Draws the tasks anew.
export const redrawTasks = () => redraw()
/// The ids of the tasks in the list, in its order.
export const shownTasks = () => grouped().flatMap(each => each.items.map(({ id }) => id))
watch('hide', () => { if (revealed.size) { revealed.clear(); redraw() } })
watch('end', () => { all = []; lists = []; tags = []; groups = {} })
watch('settings', () => { asked = null })

const keep = ({ id, name, notes, subtasks }) => revealed.set(id, { name, notes, subtasks })

/// The task with an id, with its text if that is visible; undefined if it does not exist.
export const taskOf = id => { const found = all.find(each => each.id == id); return found && { ...found, ...revealed.get(id), isShown: revealed.has(id) } }
export const known = () => ({ lists, tags })
export const nameOf = task => task.name ?? task.nickname ?? t('protected')

// *Undo* of a toast undoes the last command. So each command closes older toasts, and waits for the
// command before it.
let last = Promise.resolve()
const undo = () => command('tasks/undo')
export const command = (path, body, said, method = 'post', row) => last = last.catch(() => {}).then(async () => {
  untoast()
  const answer = await api[method](path, body)
  if (said) toast(said, undo, { row })
  return answer
})
/// A command that may need a verification; its error is shown.
export const does = (...all) => attempt(() => verified(() => command(...all)))
/// Changes tasks as one step of *Undo*.
export const change = (ids, body, said) => attempt(() => command('tasks/edit', { ids, ...body }, said, 'post', ids[0]))

/// The fields that a new task gets from the view: list, tag, and day.
export const implied = () => ({ ...(filter.list && { list: filter.list }), ...(filter.tag && { tags: [filter.tag] }), ...(filter.view && { due: dayAfter(0) }) })
/// Adds a task as it was typed. What the view has put into `body` counts where the words say nothing.
export async function addTyped(text, body, view = implied()) {
  const found = await api.post('tasks/understand', { text })
  for (const key of ['list', 'due']) if (found[key] && body[key] == view[key]) delete body[key]
  added(await command('tasks/typed', { text, ...body }))
}
/// Says that a task was added that the list does not show.
export const added = task => matches(task) || toast(t('added', { what: nameOf(task) }), () => {
  Object.assign(filter, nothing, { waiting: task.waiting })
  go('tasks')
  redraw()
  renewFrame()
  focusRow(task.id)
}, { label: t('show') })

export const mark = (task, done) => attempt(async () => {
  const ends = done && task.ends_elsewhere
  if (ends && !await ask(nameOf(task), t('endSeries'), t('end'))) return redraw()
  const found = all.find(each => each.id == task.id), put = done => { if (found && !task.repeat) found.done = done; redraw() }
  put(done)
  const [after] = await command(`tasks/${done ? 'done' : 'undone'}`, { ids: [task.id], ...(ends && { yes: true }) }).catch(problem => { put(!done); throw problem }) ?? []
  if (done && task.repeat && after?.due && !after.done) toast(t('next', { when: when(after.due) }), undo, { row: task.id })
})
export const remove = task => attempt(async () => {
  await command('tasks/remove', { ids: [task.id] }, t('removed'), 'post', task.id)
  all = all.filter(each => each.id != task.id)
  if (place().detail?.startsWith(task.id)) go('tasks')
})
/// Shows the text of a protected task in its row and its details until the verification ends.
const show = task => attempt(async () => {
  const found = await verified(() => api.get(`tasks/${task.id}`))
  if (!found || document.hidden || state.session.state != 'unlocked') return
  keep(found)
  redraw(task.id)
})
const hide = task => { revealed.delete(task.id); redraw(task.id) }
/// The button that shows or hides the text of a protected task.
export const revealer = task => task.protected && (task.isShown ? h('button.quiet', { onclick: () => hide(task) }, t('hide')) : h('button.plain', { 'aria-label': `${t('show')}: ${nameOf(task)}`, onclick: () => show(task) }, t('show')))
const showAll = () => attempt(async () => {
  const found = await verified(() => api.get('tasks?protected=1&reveal=1'))
  if (!found || document.hidden) return
  for (const each of found) if (each.protected && each.name != null) keep(each)
  redraw()
})

/// The due time and the reminder of a task.
export function times(task) {
  const due = task.due ? when(task.due) : null, bell = label => h('span', icon('bell'), h('span.hidden-text', t('reminds') + ' '), label)
  const text = (content, late) => content && h('span', { class: late ? 'late' : null }, content)
  if (task.done || !task.reminder) return task.done && task.repeat ? [] : [text(due, task.overdue && !task.done)]
  const minutes = task.due == task.reminder ? 0 : task.due && isDay(task.due) == isDay(task.reminder) ? Math.round((dateOf(task.due) - dateOf(task.reminder)) / 60000) : -1
  if (minutes == 0) return [task.overdue ? h('span.late', icon('bell'), due) : bell(due)]
  const before = minutes == 1440 ? t('dayBefore') : minutes < 1 || minutes > 1440 ? when(task.reminder) : t('before', { n: minutes % 60 ? units(minutes, 'minute', 'short') : units(minutes / 60, 'hour', 'short') })
  return [text(due, task.overdue), bell(before)]
}

/// The priority in words.
export const priorityOf = task => task.priority != 'none' && `${t('priority')}: ${t(task.priority).toLowerCase()}`

function drawTask({ id }) {
  const task = taskOf(id), name = nameOf(task), steps = task.subtasks ?? []
  return row({
    key: id, open: `tasks/${id}`, mark: task.protected && 'lock', state: [task.done && 'done', task.protected && !task.isShown && 'hiding', chosen.has(id) && 'chosen'].filter(Boolean).join(' '),
    title: [chosen.has(id) && h('span.hidden-text', t('isChosen') + ' '), task.isShown ? h('span.revealed', name, countdown(state.verifiedUntil)) : name],
    lead: tick(t('done', { what: name }), task.done, done => mark(task, done)),
    details: [task.concurrent && h('span.badge.new', t('concurrent')), ...times(task), task.repeat && everySo(task.repeat), task.repeats_elsewhere && t('elsewhere'), priorityOf(task), task.list,
      ...task.tags.map(each => h('span.tag', `#${each}`)), steps.length > 0 && t('steps', { done: steps.filter(each => each.done).length, n: steps.length })],
    action: revealer(task),
    menu: () => [...taskMenu(task), { label: t('select'), act: () => pick(id) }],
    keys: { ' ': () => mark(task, !task.done), Delete: () => remove(task), e: () => go(`tasks/${id}/edit`), x: () => pick(id), p: event => postpone([id], event), F2: () => rename(task) },
    swipe: [t('delete'), () => remove(task)],
  })
}
export const taskMenu = task => [{ label: t('edit'), act: () => go(`tasks/${task.id}/edit`) }, { label: t('rename'), act: () => rename(task) }, { label: t('postpone'), act: () => postpone([task.id], { target: document.activeElement }) }, task.concurrent && { label: t('others'), act: () => showOthers(task) }, { label: t('delete'), act: () => remove(task), danger: true }]

/// Shows what another device wrote at the same time, which ends the mark on all devices.
const showOthers = task => attempt(async () => {
  const found = await verified(() => api.get(`tasks/${task.id}/history`))
  if (!found) return
  await (task.protected ? versions(t('others'), found, revision => does(`tasks/${task.id}/restore`, { revision }), t('nothing')) : told(t('others'), found.map(each => [each.value, each.field, each.device])))
  tell('tasks')
})

/// Edits the name of a task where it stands.
export const rename = task => attempt(async () => {
  const found = task.protected ? await verified(() => api.get(`tasks/${task.id}`)) : task, place = document.querySelector('.detail h1') ?? document.querySelector(`.row[data-key="${task.id}"] .title`)
  if (!found || !place || document.hidden) return
  const input = h('input.rename', { value: found.name, 'aria-label': t('name'), enterkeyhint: 'done', onkeydown: event => {
    if (event.key == 'Escape') end()
    else if (event.key == 'Enter' && !event.isComposing) end(input.value.trim())
    else return
    event.preventDefault()
    event.stopPropagation()
  }, onblur: () => end(input.value.trim()) }), back = place.matches('.title')
  const over = new AbortController()
  const end = name => {
    if (over.signal.aborted) return
    over.abort()
    input.replaceWith(place)
    redraw(task.id)
    if (back) focusRow(task.id)
    if (name && name != found.name) does(`tasks/${task.id}`, { name }, null, 'patch')
  }
  if (task.protected) watch('hide', () => end(), over.signal)
  place.replaceWith(input)
  input.select()
  input.focus()
})

// By name the order is that of the alphabet of the page. A day is at its end; a task without a due time is the last.
const named = task => revealed.get(task.id)?.name ?? task.name ?? task.nickname ?? '', rank = task => ['none', 'low', 'medium', 'high'].indexOf(task.priority)
const less = (a, b) => a < b ? -1 : a > b ? 1 : 0
const by = {
  due: (a, b) => a.at - b.at || rank(b) - rank(a) || a.made - b.made || less(a.id, b.id), priority: (a, b) => rank(b) - rank(a) || by.due(a, b), created: (a, b) => b.made - a.made || less(a.id, b.id),
  name: (a, b) => compare(named(a), named(b)), 'name-reversed': (a, b) => by.name(b, a),
}
function sort() {
  for (const each of all) each.at ??= each.due ? +dateOf(each.due) + isDay(each.due) * 86399999 : Infinity
  if (order) all.sort(by[order])
}

/// Whether the list shows a task.
function matches(task) {
  const { view, list, tag, text, open, waiting } = filter
  task.waiting &&= dateOf(task.wait) > new Date()
  return !(list && task.list != list || tag && !task.tags.includes(tag) || open && task.done || task.waiting && !waiting || view && !(task.due && (view == 'scheduled' || daysTo(dateOf(task.due)) <= 0)))
    && (!text || hits(text, [task.name, task.nickname, task.notes, task.list, ...task.tags.map(each => `#${each}`), ...(task.subtasks ?? []).map(each => each.name)]))
}

/// The filtered tasks in groups.
function grouped() {
  const groups = { late: [], today: [], tomorrow: [], later: [], noDate: [], finished: [], waits: [] }
  if (/name/.test(order) && revealed.size) sort()
  for (const task of all) {
    if (!matches(task)) continue
    task.overdue = !task.done && task.due != null && isPast(task.due)
    const days = task.due && daysTo(dateOf(task.due)), past = task.done && (task.due ? days : task.completed ? daysTo(dateOf(task.completed)) : 0) < 0
    groups[task.waiting ? 'waits' : task.overdue ? 'late' : past ? 'finished' : !task.due ? 'noDate' : days > 1 ? 'later' : days > 0 ? 'tomorrow' : 'today'].push(task)
  }
  return Object.entries(groups).filter(([, items]) => items.length).map(([id, items]) => ({ id, title: t(id), items, state: id == 'late' ? 'late' : '' }))
}

const transfer = (name, ...values) => attempt(async () => (await import('./transfer.js'))[name](...values))
const views = { today: 1, scheduled: 1 }
const color = name => `dot c${lists.findIndex(each => each.name == name) % 6}`
const choose = (key, value) => { filter[key] = filter[key] == value ? null : value; go('tasks'); redraw(); renewFrame() }

screen({
  id: 'tasks', icon: 'tasks', title: () => t('tasks'), tab: true,
  count: () => all.reduce((sum, each) => sum + (each.done || each.waiting ? 0 : 1), 0),
  side() {
    const line = (key, value, label, count, dot) => h('button', { 'aria-pressed': String(filter[key] == value), onclick: () => choose(key, value) }, dot && h('span', { class: dot }), h('span.word', label), h('span.count', String(count || '')))
    const counts = key => all.filter(each => !each.done && !each.waiting && each.due && (key == 'scheduled' || daysTo(dateOf(each.due)) <= 0)).length
    return [...Object.keys(views).map(each => line('view', each, t(each), counts(each))), ...(lists.length ? [h('p', t('lists'))] : []), ...lists.map(({ name, open }) => line('list', name, name, open, color(name))),
      ...(tags.length ? [h('p', t('tags'))] : []), ...tags.map(({ name, open }) => line('tag', name, `#${name}`, open))]
  },

  list(pane) {
    const rows = list(drawTask, { signal: pane.signal, label: t('tasks') }), body = h('div'), chips = h('div.filters'), below = h('span')
    const search = searchField(pane, text => { filter.text = text; arrange() })
    const find = () => { search.hidden = false; search.querySelector('input').focus() }
    search.hidden = !filter.text
    search.querySelector('input').value = filter.text
    pane.key('n', () => go('tasks/new'))

    const quick = h('input', { placeholder: t('quick'), 'aria-label': t('addFirst'), value: typed, enterkeyhint: 'done', oninput: () => { typed = quick.value } })
    const line = fields('div.quick-add.card', quick, h('button.send', { onclick: () => attempt(async () => {
      const text = quick.value.trim(), put = value => { quick.value = value; quick.dispatchEvent(new Event('input')) }
      if (!text) return
      put('')
      try { await addTyped(text, implied()) } catch (problem) { put(quick.value || text); throw problem }
    }) }, t('add')), echo(quick, pane.signal))
    pane.key('a', () => quick.focus())
    pane.key('Escape', () => chosen.size ? clearChosen() : place().detail && go('tasks'))
    // While tasks are selected, and with Ctrl or Shift, a click selects.
    rows.root.addEventListener('click', event => {
      if (!event.target.closest('a.title') || !(chosen.size || event.ctrlKey || event.metaKey || event.shiftKey)) return
      event.preventDefault()
      pick(event.target.closest('.row').dataset.key, event.shiftKey)
    }, true)

    const clear = () => { Object.assign(filter, nothing, { waiting: all.every(each => each.waiting) }); search.hidden = true; search.querySelector('input').value = ''; arrange(); renewFrame() }
    const items = () => [
      { label: t('search'), icon: 'search', act: find },
      { label: t('filter'), icon: 'tasks', act: filters },
      { label: t('select'), icon: 'check', act: () => grouped().forEach(({ items }) => items.forEach(each => chosen.has(each.id) || pick(each.id))) },
      { label: t('showAll'), icon: 'lock', act: showAll },
      { label: t('statistics'), icon: 'chart', act: () => go('statistics') },
      { label: t('markAll'), icon: 'check', act: markAll },
      { label: t('import'), icon: 'plus', act: () => transfer('importFile', true) }, { label: t('export'), icon: 'download', act: () => transfer('exportTasks') },
    ]
    const filters = () => menu([
      { label: t('all'), checked: !filter.view && !filter.list && !filter.tag, act: clear },
      ...Object.keys(views).map(each => ({ label: t(each), checked: filter.view == each, act: () => choose('view', each) })),
      ...lists.map(({ name }) => ({ label: name, checked: filter.list == name, act: () => choose('list', name) })),
      ...tags.map(({ name }) => ({ label: `#${name}`, checked: filter.tag == name, act: () => choose('tag', name) })),
      { label: t('openOnly'), checked: filter.open, act: () => { filter.open = !filter.open; arrange() } },
      { label: t('waiting'), checked: filter.waiting, act: () => { filter.waiting = !filter.waiting; arrange() } },
    ], { target: pane.root.querySelector('.square') })
    // The server's search would also find hidden texts.
    const markAll = () => attempt(async () => {
      const open = grouped().flatMap(each => each.items).filter(each => !each.done)
      if (open.some(each => each.ends_elsewhere) && !await ask(t('markAll'), t('endSeries'), t('end'))) return
      await (filter.text || filter.view ? command('tasks/done', { ids: open.map(each => each.id), yes: true }, t('markedAll'))
      : command('tasks/done-all', implied(), t('markedAll')))
    })

    function arrange() {
      const chip = (label, off) => h('button.chip', { 'aria-pressed': 'true', 'aria-label': t('without', { what: label }), onclick: off }, h('span', label, icon('close')))
      chips.replaceChildren(...[filter.view && chip(t(filter.view), () => choose('view', filter.view)), filter.list && chip(filter.list, () => choose('list', filter.list)), filter.tag && chip(`#${filter.tag}`, () => choose('tag', filter.tag))].filter(Boolean))
      const groups = grouped()
      const wanted = groups.length ? rows.root : all.length ? empty(t('nothing'), h('button', { onclick: clear }, t('showEverything'))) : empty(t('none'), t('addFirst'), () => go('tasks/new'))
      if (body.firstChild != wanted) body.replaceChildren(wanted)
      rows.update(groups)
    }
    redraw = id => { if (pane.signal.aborted) return; if (id) rows.redraw(id); else { rows.redraw(); arrange() } watchers.forEach(each => each()) }

    pane.show(
      pane.head(t('tasks'), {
        actions: [more(items), adder(() => go('tasks/new'))],
        below: h('span', below, ' ', h('a.link', { href: '#statistics' }, t('statistics'))),
      }),
      h('a.card.only-small.shortcut', { href: '#checklists' }, icon('checklists'), h('span', t('checklists')), h('span.space'), icon('forward')), line, search, chips, body, bulk(pane))
    if (all.length) arrange()
    watch('minute', arrange, pane.signal)

    // The vault has only texts of protected tasks: the list does not change with it.
    const reveal = () => Promise.all([...revealed.keys()].map(id => api.get(`tasks/${id}`).then(each => revealed.has(id) && keep(each), () => revealed.delete(id)).then(() => rows.redraw(id))))
    watch('vault', () => reveal().then(() => whole && watchers.forEach(each => each())), pane.signal)
    pane.live(['tasks', 'settings'], async () => {
      // The first rows of a long list are loaded first.
      if (!whole) { all = await state.first ?? await api.get('tasks?limit=60'); arrange() }
      // A change of the settings while this loads asks anew.
      const [found, settings] = await Promise.all([api.get('tasks/changes?known=' + Object.entries(groups).flat().join('')), asked ??= api.get('settings').catch(problem => { asked = null; throw problem })])
      for (const [id, digest] of Object.entries(found.groups)) digest ? groups[id] = digest : delete groups[id]
      all = [...whole ? all.filter(each => !(each.id.slice(0, 2) in found.groups)) : [], ...found.tasks]
      whole = true
      for (const each of all) each.concurrent = found.concurrent.includes(each.id)
      order = settings.task_order
      sort()
      await reveal()
      lists = found.lists.sort((a, b) => compare(a.name, b.name))
      tags = found.tags.sort((a, b) => compare(a.name, b.name))
      arrange()
      watchers.forEach(each => each())
      below.textContent = t('lately', { n: found.completed_past_24_hours })
      renewFrame()
    })
  },

  detail(pane, id) {
    const [task, edit] = id.split('/')
    if (task == 'new' || edit) showTaskForm(pane, task == 'new' ? null : task)
    else showTask(pane, task)
  },
})

const watchers = new Set()
/// Calls `act` now, when tasks were loaded, and when a text was shown or hidden, until `signal`
/// aborts.
export function watchTasks(act, signal) {
  watchers.add(act)
  signal.addEventListener('abort', () => watchers.delete(act))
  if (whole) act()
}
