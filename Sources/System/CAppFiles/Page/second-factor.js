// The second factors of the account (Settings).
import { h, tell } from './core.js'
import { whenLong } from './dates.js'
import { once } from './once.js'
import { codeField, field, form, masked, row, toast } from './parts.js'
import { api } from './server.js'
import { texts } from './shared.js'
import { assertion, registration } from './verify.js'

const t = texts({
  title: 'Second factor', app: 'Authenticator app', key: 'Passkey',
  addApp: 'Add an authenticator app', addKey: 'Add a passkey to the account', newCodes: 'New recovery codes',
  left: { one: '{n} recovery code left', other: '{n} recovery codes left' },
  off: 'The password alone signs in.', code: 'Code or recovery code', shown: 'Code that the app shows',
  scan: 'Scan this with the app, or type the secret into it.',
  keep: 'Each signs in once in place of the second factor. Write them down: they are not shown again.', changed: 'Changed.',
})

/// The elements of the second factors; none at another server, and without the server.
export async function drawFactors(account) {
  let found
  try { found = await api.get('account/second-factor') } catch { return [] }
  const { factors, recovery_codes_left } = found, has = factors.length > 0

  /// A dialog for a change, with password and second factor. `make()` gives the members of the change.
  async function change(title, make, { inputs = [], danger } = {}) {
    const password = masked(), code = codeField()
    const send = async answer => ({ made: await api.secret('account/second-factor/change', { ...await make(), password: password.value, ...await answer() }) })
    const done = await form(title, {
      danger, inputs: [inputs, field(t('password'), password), has && field(t('code'), code)],
      save: () => send(() => has ? { code: code.value.trim() } : {}),
      other: factors.some(each => each.kind == 'passkey') && [t('passkey'), () => send(async () => assertion(await api.post('account/challenge', { purpose: 'confirm' })))],
    })
    if (done?.made.recovery_codes) await once(t('newCodes'), t('keep'), done.made.recovery_codes.join('\n'))
    else if (done) toast(t('changed'))
    if (done) tell('account')
  }
  async function addApp() {
    const { secret, qr } = await api.post('account/second-factor/secret'), shown = h('input', { autocapitalize: 'off', inputmode: 'numeric', required: true })
    await change(t('addApp'), () => ({ change: 'app', secret, app_code: shown.value.trim() }), { inputs: [
      h('p.below', t('scan')), qr.length > 0 && h('pre.qr', { 'aria-hidden': 'true' }, qr.join('\n')), h('p.recovery.code', { tabindex: '0' }, secret), field(t('shown'), shown)] })
  }
  function addKey() {
    const label = h('input', { required: true, value: t('key') })
    return change(t('addKey'), async () => {
      const made = await registration(await api.post('account/challenge', { purpose: 'register' }), account)
      return { change: 'passkey', label: label.value.trim(), registration_data_base64: made.clientData, attestation_object_base64: made.attestation }
    }, { inputs: [field(t('name'), label)] })
  }
  const button = (label, onclick) => h('button', { onclick }, t(label))
  return [h('h3', t('title')), h('p.hint', has ? t('left', { n: recovery_codes_left }) : t('off')),
    has && h('div', { role: 'list' }, factors.map(each => row({ key: each.id, title: each.kind == 'totp' ? t('app') : each.label || t('key'), details: [each.used && t('used', { when: whenLong(each.used) })],
      action: h('button.plain.danger', { onclick: () => change(t('revoke'), () => ({ change: 'remove', factor: each.id }), { danger: true }) }, t('revoke')) }))),
    h('div.buttons', button('addApp', addApp), 'credentials' in navigator && button('addKey', addKey), has && button('newCodes', () => change(t('newCodes'), () => ({ change: 'codes' }))))].filter(Boolean)
}
