// One file (S13). Its content is in memory while it is shown. Content of a protected file is
// dropped when texts are hidden.
import { h, icon, language } from './core.js'
import { bar, facts, more, renamed, versions, texts } from './shared.js'
import { whenLong } from './dates.js'
import { remove } from './files.js'
import { attempt, toast } from './parts.js'
import { reveal } from './reveal.js'
import { api } from './server.js'
import { posted } from './verify.js'

const t = texts({
  download: 'Download', saved: 'Saved as {path}',
  noView: 'It cannot be shown here.',
  size: 'Size', type: 'Type', pixels: 'Pixels', added: 'Added', task: 'Task',
  earlier: 'Earlier contents',
})
/// A size as text: `2.4 MB`.
export function sizeText(bytes) {
  const step = Math.min(3, Math.floor(Math.log10(Math.max(1, bytes)) / 3)), value = bytes / 1000 ** step
  const units = language == 'uk' ? ['Б', 'КБ', 'МБ', 'ГБ'] : ['B', 'KB', 'MB', 'GB']
  return `${value.toLocaleString(language, { maximumFractionDigits: step && value < 10 ? 1 : 0 })} ${units[step]}`
}

/// The elements that show a content; `revoke` releases it.
async function viewer(file, blob) {
  const url = URL.createObjectURL(blob), type = file.media_type, label = { 'aria-label': file.name }
  // The frame shows what the app serves with the type of a PDF, never markup.
  const made = type == 'application/pdf' ? h('iframe.document', { src: url, title: file.name }) : /^image\/(?!svg)/.test(type) ? h('img.picture', { src: url, alt: file.name })
    : type.startsWith('video/') ? h('video.picture', { src: url, controls: true, ...label }) : type.startsWith('audio/') ? h('audio', { src: url, controls: true, ...label })
    : type.startsWith('text/plain') ? h('pre.panel', { tabindex: '0', ...label }, (await blob.text()).slice(0, 200000)) : null
  return { made, revoke: () => URL.revokeObjectURL(url) }
}
/// Requests the content.
export const contentOf = file => api.blob(`files/content?name=${encodeURIComponent(file.name)}`)
/// The size of a picture.
export const pixelsOf = file => file.width && `${file.width} × ${file.height}`
const isShown = file => /^(image\/(?!svg)|video\/|audio\/|text\/plain|application\/pdf$)/.test(file.media_type)

/// Shows a file in the pane.
export function showFile(pane, id) {
  const view = h('div.figure'), about = h('div')
  let shown
  pane.show(about, view)
  pane.live('vault', async () => {
    const found = (await api.get('files')).find(each => each.id == id)
    if (!found) return pane.gone('files')
    const file = { ...found, ...await api.post('files/show', { name: found.name }) }
    const then = (path, more = {}) => attempt(() => posted(`files/${path}`, { name: file.name, ...more }))
    const download = async () => { const saved = await then('save'); if (saved) toast(t('saved', { path: saved.path })) }
    about.replaceChildren(
      bar('files', t('files'), h('button', { onclick: download }, icon('download'), t('download')), more(() => [
        { label: t('rename'), act: () => rename(file) }, { label: t(file.protected ? 'unprotect' : 'protect'), icon: 'lock', act: () => then(file.protected ? 'unprotect' : 'protect') },
        file.earlier?.length > 0 && { label: t('earlier'), act: () => versions(t('earlier'), file.earlier.map(each => ({ ...each, details: [sizeText(each.size)] })), revision => then('restore', { revision })) },
        { label: t('delete'), act: () => remove(file), danger: true }])),
      h('div.panel', h('h1', file.name), facts([[t('size'), sizeText(file.size)], [t('type'), file.media_type], [t('pixels'), pixelsOf(file)], [t('added'), whenLong(file.added)],
        [t('task'), file.task && h('a.link', { href: `#tasks/${file.task}` }, t('openTask'))]])))
    const version = `${file.revision} ${file.protected}`
    if (shown != version) { shown = version; show(file) }
  })

  function show(file) {
    const load = async () => viewer(file, await contentOf(file))
    const note = (label, button) => view.replaceChildren(h('div.placeholder', icon(file.protected ? 'lock' : 'files'), h('p', t(label)), button))
    if (!isShown(file) || file.size > 64 << 20) return note('noView')
    let now
    if (!file.protected) return attempt(async () => {
      const one = await load()
      if (pane.signal.aborted) return one.revoke()
      now?.revoke()
      now = one
      pane.signal.addEventListener('abort', one.revoke)
      view.replaceChildren(one.made)
    })
    note('content', h('button', { onclick: () => attempt(() => reveal(view, async () => now = await load(), one => one.made, () => { now?.revoke(); now = null })) }, t('show')))
  }
}

const rename = ({ name }) => renamed(name, text => api.post('files/rename', { name, new: text }))
