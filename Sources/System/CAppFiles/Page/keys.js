// The list of the keys of a screen: `?`.
import { h, texts, watch } from './core.js'
import { closer, dialog } from './parts.js'

const t = texts({
  rows: 'Row above or below', open: 'Open the row', rowDelete: 'Delete the row',
  escape: 'Hide protected content; back', keys: 'These keys', mark: 'Done, or not done', accept: 'Accept', quick: 'Add in one line', rename: 'Rename in place',
  space: 'Space',
})
const own = { tasks: { n: 'add', a: 'quick', space: 'mark', e: 'edit', F2: 'rename', x: 'select', p: 'postpone' }, files: { n: 'add' }, secrets: { n: 'add', c: 'copy' }, inbox: { a: 'accept' }, checklists: { s: 'save' }, saved: { s: 'save' } }

watch('keys', id => {
  const keys = { '↑ ↓': 'rows', Enter: 'open', ...own[id], Delete: 'rowDelete', '/': 'search', u: 'undo', Esc: 'escape', '?': 'keys' }
  dialog(t('keysTitle'), close => [
    h('dl.facts', Object.entries(keys).map(([key, does]) => [h('dt', h('kbd', key == 'space' ? t('space') : key)), h('dd', t(does))])),
    closer(close)])
})
