// Several tasks at once: selection, postponing, list and tags. Each change is one step of *Undo*.
import { h, icon, texts, watch } from './core.js'
import { dayAfter, untilMonday } from './dates.js'
import { ask, attempt, field, form, menu } from './parts.js'
import { change, command, known, redrawTasks, shownTasks, taskOf } from './tasks.js'

const t = texts({
  chosen: 'Selected: {n}', all: 'All', clear: 'Clear the selection', doneAll: 'Done', day: 'Another day', new: 'Other…',
  changed: 'Changed: {n}', removed: 'Deleted: {n}', ended: 'Done: {n}', postponed: 'Postponed: {n}',
  ends: 'A repetition of another program ends.',
})
/// The ids of the selected tasks.
export const chosen = new Set()
let last, say = () => {}
watch('forget', () => chosen.clear())

/// Selects a task, or no more; `through` also selects those since the last one.
export function pick(id, through) {
  const order = shownTasks(), [from, to] = [order.indexOf(last), order.indexOf(id)].sort((a, b) => a - b)
  if (through && from >= 0) for (const each of order.slice(from, to + 1)) chosen.add(each)
  else if (!chosen.delete(id)) chosen.add(id)
  last = id
  redrawTasks()
  say()
}
export function clearChosen() { chosen.clear(); redrawTasks(); say() }

const dayOf = async title => {
  const input = h('input', { type: 'date', required: true, value: dayAfter(1) })
  return await form(title, { inputs: [field(t('due'), input)], save: () => input.value })
}
/// Asks for a day, and moves the due times of tasks to it. The time of day stays.
export const postpone = (ids, event) => {
  const move = day => day && change(ids, { due_day: day }, t('postponed', { n: ids.length }))
  return menu([{ label: t('tomorrow'), act: () => move(dayAfter(1)) }, { label: t('week'), act: () => move(dayAfter(untilMonday())) }, { label: t('day'), act: () => dayOf(t('postpone')).then(move) }], event)
}
// A name from those in use, or another one.
const choose = (what, names, none, act, event) => menu([...none, ...names.map(({ name }) => ({ label: name, act: () => act(name) })),
  { label: t('new'), act: async () => { const input = h('input', { required: true }), name = await form(what, { inputs: [field(what, input)], yes: t('save'), save: () => input.value.trim() }); if (name) act(name) } }], event)

/// The bar below the list while tasks are selected.
export function bulk(pane) {
  const count = h('span', { role: 'status' })
  const edit = (body, mine) => change(mine, body, t('changed', { n: mine.length })).then(clearChosen)
  const button = (label, act, kind = 'quiet') => h(`button.${kind}`, { onclick: event => act([...chosen].filter(taskOf), event) }, label)
  const bar = h('div.bulk', { role: 'toolbar', 'aria-label': t('select') }, count, button(t('all'), () => { for (const each of shownTasks()) chosen.add(each); redrawTasks(); say() }),
    button(t('doneAll'), mine => attempt(async () => {
      const ends = mine.some(each => taskOf(each).ends_elsewhere)
      if (ends && !await ask(t('doneAll'), t('ends'), t('doneAll'))) return
      await command('tasks/done', { ids: mine, ...(ends && { yes: true }) }, t('ended', { n: mine.length }))
      clearChosen()
    })),
    button(t('postpone'), postpone),
    button(t('list'), (mine, event) => choose(t('list'), known().lists, [{ label: t('none'), act: () => edit({ list: null }, mine) }], list => edit({ list }, mine), event)),
    button(t('tags'), (mine, event) => choose(t('tags'), known().tags, [], tag => edit({ tags: [tag.replace(/^#/, '')] }, mine), event)),
    button(t('delete'), mine => attempt(async () => { await command('tasks/remove', { ids: mine }, t('removed', { n: mine.length })); clearChosen() }), 'quiet.danger'),
    h('button.quiet.square', { 'aria-label': t('clear'), onclick: clearChosen }, icon('close')))
  say = () => { bar.hidden = !chosen.size; count.textContent = t('chosen', { n: chosen.size }) }
  say()
  return bar
}
