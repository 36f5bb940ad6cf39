// One task with its steps (S3, S4). tasks.js holds the visible protected texts.
import { go, h, icon, state, texts, watch } from './core.js'
import { rings } from './banner.js'
import { everySo, whenLong, toField, fromField } from './dates.js'
import { attempt, field, fields, form, row, tick, toggle, whenField } from './parts.js'
import { countdown } from './reveal.js'
import { api } from './server.js'
import { bar, card, facts, more } from './shared.js'
import { command, does, mark, nameOf, redrawTasks, rename, revealer, taskMenu, taskOf, watchTasks } from './tasks.js'
import { verified } from './verify.js'

const t = texts({
  repeat: 'Repeats',
  wait: 'Starts',
  at: ['at {when}', '{when}'], needsDue: 'When?',
  addStep: 'Add a step',
  stepRemoved: 'Step deleted.', up: 'Move up', down: 'Move down',
  protected: 'The text is in the vault.',
})

/// Shows a task in the pane.
export function showTask(pane, id) {
  watch('rings', () => redrawTasks(), pane.signal)
  const before = () => pane.root.querySelector('.add-step input')
  watchTasks(() => {
    if (pane.root.querySelector('.rename')) return
    const task = taskOf(id), typed = before()?.value, focused = before() && before() == document.activeElement
    if (!task) return pane.gone('tasks')
    const hidden = task.protected && !task.isShown, name = nameOf(task)
    // The focused element keeps the focus, within its step.
    const { activeElement } = document, step = activeElement.closest('.row')?.dataset.key
    const all = () => [...(step ? pane.root.querySelector(`.row[data-key="${step}"]`) : pane.root)?.querySelectorAll('a, button, input') ?? []], at = all().indexOf(activeElement)
    pane.show(
      bar('tasks', t('back'), h('button.quiet', { onclick: () => go(`tasks/${id}/edit`) }, t('edit')), more(() => [
        { label: t(task.protected ? 'unprotect' : 'protect'), icon: 'lock', act: () => does(`tasks/${id}/${task.protected ? 'unprotect' : 'protect'}`) },
        ...taskMenu(task).slice(1)])),
      h('div.panel',
        h('div.headline', tick(t('done', { what: name }), task.done, done => mark(task, done)),
          h('div.name', h('h1', { ondblclick: () => rename(task) }, hidden && icon('lock'), name), task.isShown && countdown(state.verifiedUntil)),
          revealer(task)),
        hidden && h('p.below', t('protected')),
        !hidden && task.notes && h('p.notes', task.notes),
        factsOf(task),
        toggle(t('remind'), Boolean(task.reminder), on => remind(task, on, `tasks/${id}/remind`, `tasks/${id}`), [task.reminder && t('at', { when: whenLong(task.reminder) }), rings != null && t(rings ? 'rings' : 'silent')].filter(Boolean).join(' · '))),
      !hidden && steps(task, pane), !hidden && files(task))
    if (typed && !hidden) before().value = typed
    if (focused) before()?.focus()
    else all()[at]?.focus()
  }, pane.signal)
}

const dueOf = each => each.due && h('span', { class: each.overdue && !each.done ? 'late' : null }, whenLong(each.due))
const factsOf = task => facts([['due', dueOf(task)], ['repeat', task.repeat && everySo(task.repeat)], ['wait', task.wait && whenLong(task.wait)],
  ['list', task.list], ['tags', task.tags.map(each => `#${each}`).join(' ')], ['priority', task.priority != 'none' && t(task.priority)]].map(([label, value]) => [t(label), value]))

/// Switches a reminder. Without a due time it first asks for one.
async function remind(task, on, path, place) {
  if (!on || task.due) return await verified(() => command(path, { when: on || null })) !== undefined
  const input = whenField('', { required: true })
  const done = await form(t('needsDue'), { isPublic: !task.protected, inputs: [field(t('due'), input)], yes: t('save'), save: () => verified(() => command(place, { due: fromField(input.value), remind: true }, null, 'patch')) })
  return Boolean(done)
}

function steps(task, pane) {
  const add = h('input', { 'aria-label': t('addStep'), placeholder: t('addStep'), enterkeyhint: 'done' })
  return h('section.group', h('h2', t('steps')), h('div.card',
    task.subtasks.length > 0 && h('div', { role: 'list', 'aria-label': t('steps') }, task.subtasks.map((step, index) => drawStep(task, step, index))),
    fields('div.add-step', add, h('button.send', { onclick: () => {
      const name = add.value.trim()
      if (!name) return
      add.value = ''
      does(`tasks/${task.id}/subtasks`, { name })
    } }, t('add')))))
}

function drawStep(task, step, index) {
  const path = `tasks/${task.id}/subtasks/${step.id}`
  const change = (more, ...rest) => does(path + more, ...rest)
  const remove = () => change('/remove', {}, t('stepRemoved'))
  const bell = h('input.switch', { type: 'checkbox', role: 'switch', 'aria-label': `${t('remind')}: ${step.name}`, onchange: async () => {
    if (!await attempt(() => remind({ ...step, protected: task.protected }, bell.checked, path + '/remind', path))) bell.checked = !bell.checked
  } })
  bell.checked = Boolean(step.reminder)
  return row({
    key: step.id, title: step.name, state: step.done ? 'done' : '', open: () => edit(task, step, path),
    lead: tick(t('done', { what: step.name }), step.done, done => change(done ? '/done' : '/undone')),
    details: [dueOf(step)],
    action: h('label.bell', icon('bell'), bell),
    menu: () => [{ label: t('edit'), act: () => edit(task, step, path) },
      index > 0 && { label: t('up'), act: () => change('/move', { position: index }) }, index < task.subtasks.length - 1 && { label: t('down'), act: () => change('/move', { position: index + 2 }) },
      { label: t('delete'), danger: true, act: remove }],
    keys: { ' ': () => change(step.done ? '/undone' : '/done'), Delete: remove }, swipe: [t('delete'), remove],
  })
}

function edit(task, step, path) {
  const name = h('input', { value: step.name, required: true }), due = whenField(step.due ? toField(step.due) : '')
  return form(t('edit'), { inputs: [field(t('name'), name), field(t('due'), due)], yes: t('save'), kind: task.protected ? 'secret' : '', isPublic: true,
    save: () => verified(() => command(path, { name: name.value, due: fromField(due.value) }, null, 'patch')) })
}

function files(task) {
  const place = h('div')
  if (!task.protected || task.isShown) api.get(`tasks/${task.id}`).then(({ files }) => {
    if (files?.length) place.replaceChildren(h('section.group', h('h2', t('files')), card(files.map(each => row({ key: each.id, title: each.name, mark: 'files', open: `files/${each.id}` })))))
  }, () => {})
  return place
}
