// Files (S13): the list, uploads, and the trash.
import { compare, go, h, icon, place, screen, watch } from './core.js'
import { adder, more, searched, trash, texts, upload } from './shared.js'
import { when } from './dates.js'
import { contentOf, pixelsOf, showFile, sizeText } from './file.js'
import { ask, attempt, empty, list, row, toast } from './parts.js'
import { api, explain } from './server.js'

const t = texts({
  addFirst: 'Add a file',
  none: 'No files yet. Drop some here.', drop: 'Drop to add',
  removed: 'File deleted.', trash: 'Deleted files',
  sending: 'Sending', stored: 'Files added: {n}',
  replaceAsk: 'Replace {name}?', replaceWhy: 'The earlier content is kept in its history.', replace: 'Replace',
  protectNew: 'Add protected', notHere: 'Not on this device',
})

let all = null, settings = { file_sort: 'name', file_sizes: true }
// Thumbnails, made here and kept only in memory, by id and revision.
const thumbs = new Map()
let queue = Promise.resolve()
watch('forget', forget)
function forget() {
  all = null
  for (const each of thumbs.values()) URL.revokeObjectURL(each)
  thumbs.clear()
}

/// The thumbnail of a row. Protected files have none, and those whose content another device has.
function thumb(file) {
  const place = h('div'), key = `${file.id} ${file.revision}`, picture = /^image\/(?!svg)/.test(file.media_type)
  const show = () => place.replaceChildren(h('img.thumb', { src: thumbs.get(key), alt: '' }))
  place.append(h('span.thumb', icon(file.protected ? 'lock' : picture ? 'picture' : 'file')))
  if (thumbs.has(key)) show()
  else if (picture && !file.protected && file.here != false && file.size < 20e6) queue = queue.then(async () => {
    if (!place.isConnected || thumbs.has(key)) return place.isConnected && show()
    const bitmap = await createImageBitmap(await contentOf(file)), side = Math.min(bitmap.width, bitmap.height)
    const canvas = h('canvas', { width: 112, height: 112 })
    canvas.getContext('2d').drawImage(bitmap, (bitmap.width - side) / 2, (bitmap.height - side) / 2, side, side, 0, 0, 112, 112)
    bitmap.close()
    thumbs.set(key, URL.createObjectURL(await new Promise(done => canvas.toBlob(done))))
    show()
  }).catch(() => {})
  return place
}

/// Removes a file; *Undo* restores it.
export const remove = file => attempt(async () => {
  await api.post('files/remove', { names: [file.name] })
  toast(t('removed'), () => api.post('files/restore', { name: file.name }), { row: file.id })
  if (place().detail == file.id) go('files')
})
const draw = file => row({
  key: file.id, open: `files/${file.id}`, lead: thumb(file), mark: file.protected && 'lock', title: file.name,
  details: [file.here == false && h('span.badge', t('notHere')), settings.file_sizes && sizeText(file.size), pixelsOf(file), when(file.added)],
  menu: () => [{ label: t('delete'), act: () => remove(file), danger: true }],
  keys: { Delete: () => remove(file) }, swipe: [t('delete'), () => remove(file)],
})
const set = (name, value) => attempt(() => api.post('settings', { name, value }))
const carries = event => event.dataTransfer?.types.includes('Files')

// The progress of uploads, also of those that began before the screen was left.
const progress = h('div.card.progress')
/// Uploads files in pieces. A cancelled file is not stored.
async function send(files, isProtected) {
  let stored = 0
  for (const file of files) {
    const replace = !isProtected && all?.some(each => each.name == file.name)
    if (replace && !await ask(t('replaceAsk', { name: file.name }), t('replaceWhy'), t('replace'))) continue
    let cancelled = false
    const bar = h('progress', { max: Math.max(1, file.size), value: 0, 'aria-label': t('sending') }), line = h('div.row.sending', h('div.body', h('span', file.name), bar), h('button.quiet', { onclick: () => { cancelled = true } }, t('cancel')))
    progress.append(line)
    try {
      if (await upload('uploads', { name: file.name, size: file.size, protected: isProtected, replace }, file, received => { bar.value = received; return !cancelled })) stored++
    } catch (problem) { toast(`${file.name}: ${explain(problem)}`) }
    line.remove()
  }
  if (stored) toast(t('stored', { n: stored }))
}

screen({
  id: 'files', icon: 'files', title: () => t('files'), tab: true,

  list(pane) {
    const rows = list(draw, { signal: pane.signal, label: t('files'), height: 86 })
    const { search, body, update } = searched(pane, rows, each => [each.name], () => empty(t('none'), t('addFirst'), () => add()))
    const picker = h('input', { type: 'file', multiple: true, hidden: true, 'aria-label': t('add'), onchange: () => { const chosen = [...picker.files]; picker.value = ''; attempt(() => send(chosen, picker.isProtected)) } })
    const add = isProtected => { picker.isProtected = isProtected; picker.click() }
    const choices = () => [
      { label: t('file-sort'), checked: settings.file_sort == 'name', act: () => set('file-sort', settings.file_sort == 'name' ? '-name' : 'name') },
      { label: t('file-sizes'), checked: settings.file_sizes, act: () => set('file-sizes', settings.file_sizes ? 'no' : 'yes') },
      { label: t('protectNew'), icon: 'lock', act: () => add(true) },
      { label: t('trash'), icon: 'trash', act: () => go('files/removed') },
    ]
    pane.key('n', () => add())
    pane.show(pane.head(t('files'), { actions: [more(choices), adder(() => add())] }),
      search, progress, body, picker, h('div.drop', { 'aria-hidden': 'true' }, icon('download'), t('drop')))
    // Files can be dropped anywhere on the list.
    let inside = 0
    const on = (name, act) => pane.root.addEventListener(name, event => {
      if (!carries(event)) return
      event.preventDefault()
      act(event)
      pane.root.classList.toggle('dropping', inside > 0)
    })
    on('dragenter', () => inside++)
    on('dragleave', () => inside--)
    on('dragover', event => { event.dataTransfer.dropEffect = 'copy' })
    on('drop', event => { inside = 0; attempt(() => send([...event.dataTransfer.files])) })
    pane.live(['vault', 'settings'], async () => {
      const [found, set] = await Promise.all([api.get('files'), api.get('settings')])
      settings = set
      all = /name$/.test(set.file_sort) ? found.sort((a, b) => compare(a.name, b.name) * (set.file_sort == 'name' ? 1 : -1)) : found
      rows.redraw()
      update(all)
    })
  },

  detail(pane, id) { id == 'removed' ? showRemoved(pane) : showFile(pane, id) },
})

const showRemoved = pane => trash(pane, t('trash'), 'files', ({ name, size, removed }) => ({ title: name, details: [sizeText(size), when(removed)], body: { name } }))
// A file dropped outside the list must not replace the page.
for (const each of ['dragover', 'drop']) addEventListener(each, event => { if (carries(event)) event.preventDefault() })
