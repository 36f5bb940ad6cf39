// In and out: imports with a look before, exports and backups into the download folder.
import { h, state, ukrainian } from './core.js'
import { attempt, closer, dialog, field, form, masked, select, toast, toggle } from './parts.js'
import { api, explain, Refusal } from './server.js'
import { texts, upload } from './shared.js'
import { renewSession, verified, verify } from './verify.js'

const t = texts({
  file: 'File', look: 'Look at it', nothingYet: 'Nothing is stored yet.', replace: 'Replace existing ones',
  would: 'New secrets: {n}', wouldTasks: 'New tasks: {n}', imported: 'Imported: {n}', there: 'Already there: {n}', skipped: 'Skipped: {what}', doubtful: 'Look at: {what}', left: 'Left out: {what}', renamed: 'Renamed: {what}',
  erase: 'Erase the file afterwards: it is not encrypted.', plain: 'The file is not encrypted: anyone who has it has all secrets.',
  kept: 'The vault of now is kept beside it.', ofBackup: 'The password of the time of the backup.', ofVault: 'Password of now', ifOther: 'If it is another one.', anyway: 'Replace it without opening it', anywayWhy: 'The passwords of the time of the backup open it again.', isRestored: 'The backup is restored.',
  saved: 'Saved: {path}', format: 'Format', own: 'TaskVault',
})

// The reason is a code of the command.
const words = ({ service, account, title, line, reason }) => [service ?? title ?? `№ ${line}`, account, reason && explain({ code: reason, message: reason.replaceAll('_', ' ') })].filter(Boolean).join(' · ')
const lines = (label, found) => found?.length > 0 && [h('p', t(label, { what: found.length })), h('ul.report', found.map(each => h('li', words(each))))]

/// Imports the file of another program, after a look at what it would add.
export const importFile = isTasks => attempt(async () => {
  const picker = h('input', { type: 'file', required: true }), formats = select([['', 'Taskwarrior, iCalendar, TaskVault'], 'todo.txt'])
  const replace = h('input', { type: 'checkbox' })
  let report
  const body = () => isTasks ? { tasks: true, format: formats.value || undefined } : { replace: replace.checked }
  const file = await form(t('import'), { yes: t('look'), inputs: [field(t('file'), picker, t('nothingYet')), isTasks ? field(t('format'), formats) : h('label.toggle', h('span.words', t('replace')), replace)],
    save: async () => { report = await upload('imports', { ...body(), dry_run: true }, picker.files[0]); return picker.files[0] } })
  if (!file) return
  const about = head => {
    const items = report.entries ?? report.tasks?.map(each => ({ title: each.name ?? each.nickname ?? '🔒' }))
    return [h('p', head), isTasks && report.already_there > 0 && h('p', t('there', { n: report.already_there })), items?.length > 0 && h('ul.report', items.map(each => h('li', words(each)))),
      lines('skipped', report.skipped), lines('doubtful', report.doubtful ?? report.remarks), lines('left', report.left_out), lines('renamed', report.renamed)]
  }
  const isVerified = async () => isTasks || state.verifiedUntil > Date.now() || await verify()
  const done = await form(t('import'), { inputs: about(t(isTasks ? 'wouldTasks' : 'would', { n: report.would_import })),
    save: async () => await isVerified() && await verified(() => upload('imports', body(), file)) || Promise.reject(new Refusal({ code: 'not_verified' })) })
  if (!done) return
  report = done
  await dialog(t('import'), close => [...about(t('imported', { n: report.imported })), h('p.hint', t('erase')), closer(close)])
})

// The titles of a warning come after its number; what it says of the command line is left out.
const warned = ({ code, message }) => {
  const [, what, more = ''] = /^left out: (.*?)( \(\d.*)?$/.exec(message.replace(/[;:] --.*/, '')) ?? []
  return what ? t('left', { what: (ukrainian ? explain({ code: code.slice(9) }) : what) + more }) : explain({ code, message })
}
const saved = ({ path, warnings } = {}) => {
  if (!path) return
  const told = warnings.filter(each => each.code != 'not_encrypted'), text = t('saved', { path })
  if (!told.length) return toast(text)
  dialog(t('export'), close => [h('p', text), h('ul.report', told.map(each => h('li', warned(each)))), closer(close)])
}
/// Writes all secrets, after the password.
export const exportSecrets = () => {
  const input = masked(), format = select([['json', 'JSON'], ['csv', 'CSV'], ['keepassxc', 'KeePassXC']])
  return form(t('export'), { danger: true, inputs: [h('p', t('plain')), field(t('format'), format), field(t('password'), input)], save: () => api.secret('secrets/export', { format: format.value, passphrase: input.value }) }).then(saved)
}
/// Writes the tasks for another program. Protected ones have no text there.
export const exportTasks = () => {
  const format = select([['taskvault', t('own')], ['taskwarrior', 'Taskwarrior'], 'todo.txt', ['icalendar', 'iCalendar']])
  return form(t('export'), { inputs: [field(t('format'), format)], save: () => api.post('tasks/export', { format: format.value }) }).then(saved)
}
/// Restores a backup, from the start screen.
export const restore = title => attempt(async () => {
  const isTaken = state.session.state != 'none', picker = h('input', { type: 'file', required: true }), first = masked(), second = masked({ required: false })
  const anyway = toggle(t('anyway'), false, null, t('anywayWhy'))
  anyway.hidden = true
  let sent
  const done = await form(title, { danger: isTaken, yes: t('restore'), inputs: [isTaken && h('p', t('kept')), field(t('file'), picker), field(t('password'), first, t('ofBackup')), isTaken && field(t('ofVault'), second, t('ifOther')), anyway],
    save: async () => {
      const [file] = picker.files
      if (sent != file) await upload('restore/upload', {}, file)
      sent = file
      try { await api.secret('restore', { passphrase: first.value, vault_passphrase: second.value || undefined, replace: isTaken, new_lineage: anyway.box.checked }) } catch (problem) {
        // A vault that is older than this machine knows is replaced only if the owner says so.
        if (problem.status == 422) anyway.hidden = !isTaken
        throw problem
      }
      await renewSession()
    } })
  if (done) toast(t('isRestored'))
})
/// Writes a backup, which is encrypted.
export const backup = () => attempt(async () => saved(await api.post('backup')))
