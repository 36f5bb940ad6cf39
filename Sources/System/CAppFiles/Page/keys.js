// The list of the keys of a screen: `?`.
import { h, texts, watch } from './core.js'
import { dialog } from './parts.js'

const t = texts({
  rows: ['Row above or below', 'Рядок вище чи нижче'], open: ['Open the row', 'Відкрити рядок'], rowDelete: ['Delete the row', 'Видалити рядок'], find: ['Search', 'Пошук'], new: ['Add', 'Додати'], undo: ['Undo', 'Повернути'],
  escape: ['Hide protected content; back', 'Сховати захищене; назад'], keys: ['These keys', 'Ці клавіші'], mark: ['Done, or not done', 'Виконано чи ні'], edit: ['Edit', 'Змінити'], copy: ['Copy', 'Копіювати'], accept: ['Accept', 'Прийняти'], save: ['Save', 'Зберегти'],
  space: ['Space', 'Пробіл'],
})
const own = { tasks: { n: 'new', space: 'mark', e: 'edit' }, files: { n: 'new' }, secrets: { n: 'new', c: 'copy' }, inbox: { a: 'accept' }, checklists: { s: 'save' }, saved: { s: 'save' } }

watch('keys', id => {
  const keys = { '↑ ↓': 'rows', Enter: 'open', ...own[id], Delete: 'rowDelete', '/': 'find', u: 'undo', Esc: 'escape', '?': 'keys' }
  dialog(t('keysTitle'), close => [
    h('dl.facts', Object.entries(keys).map(([key, does]) => [h('dt', h('kbd', key == 'space' ? t('space') : key)), h('dd', t(does))])),
    h('div.buttons', h('button.main', { onclick: () => close() }, t('close')))])
})
