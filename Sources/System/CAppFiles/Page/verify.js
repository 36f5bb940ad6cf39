// Verification of the owner, by passkey or passphrase, before a protected request.
import { state, tell, texts, h } from './core.js'
import { field, form, masked } from './parts.js'
import { api, base64, bytes, Refusal, renew } from './server.js'

const t = texts({
  title: 'Verify to continue', verify: 'Verify',
})

let timer, turn = 0, asking
/// Applies the session from the server. Visible texts are hidden when the verification ends.
export function takeSession(session) {
  // A page that was reloaded shows nothing before it has the password, even if the vault is open.
  if (state.held && session.state == 'unlocked') session = { ...session, state: 'locked', verified: false }
  turn++
  const least = [session.idle_seconds_left, session.absolute_seconds_left].filter(each => each != null)
  state.session = session
  state.locks = least.length ? Date.now() + Math.min(...least) * 1000 : null
  clearTimeout(timer)
  state.verifiedUntil = session.verified ? Date.now() + (session.verification_seconds_left ?? 60) * 1000 : 0
  if (session.verified) timer = setTimeout(() => tell('hide'), state.verifiedUntil - Date.now())
  else tell('hide')
  tell('state')
}

/// Asks for the session, because an event may be older than an answer, and applies it. Asks again if another came meanwhile.
export function renewSession() {
  turn++
  return asking ??= askAgain().finally(() => { asking = null })
}
async function askAgain() {
  for (;;) {
    const mine = turn, session = await api.get('session')
    if (mine == turn) return takeSession(session)
  }
}

/// Applies the session that a request answers with, or asks for it if another came meanwhile. `opens` says that the request had
/// the password, the recovery code or a passkey.
export async function takeAnswer(request, opens) {
  const mine = turn, session = await request
  if (opens) {
    state.held = false
    // Theme and language of the vault come before its screens.
    await renew().catch(() => {})
  }
  return mine == turn ? takeSession(session) : renewSession()
}

const keyOf = each => ({ type: 'public-key', id: bytes(each.id_base64) })
const url64 = text => text.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')

/// Makes a passkey that the server lacks, for its challenge. `extensions` is what it must support.
export async function registration({ challenge_base64, rp_id, credentials }, name, extensions = {}) {
  const person = crypto.getRandomValues(new Uint8Array(16)), { response } = await navigator.credentials.create({ publicKey: {
    rp: { id: rp_id, name: 'TaskVault' }, user: { id: person, name, displayName: name }, challenge: bytes(challenge_base64), attestation: 'none', extensions,
    pubKeyCredParams: [-7, -8, -257].map(alg => ({ type: 'public-key', alg })), authenticatorSelection: { residentKey: 'discouraged', userVerification: 'required' },
    excludeCredentials: credentials.map(keyOf) } })
  return { clientData: base64(response.clientDataJSON), attestation: base64(response.attestationObject) }
}

/// Gets an assertion from a passkey, for the server's challenge. One of the account has no input of the extension prf.
export async function assertion({ challenge_base64, rp_id, credentials }) {
  const inputs = credentials.filter(each => each.input_base64)
  const prf = { evalByCredential: Object.fromEntries(inputs.map(each => [url64(each.id_base64), { first: bytes(each.input_base64) }])) }
  const made = await navigator.credentials.get({ publicKey: {
    rpId: rp_id, challenge: bytes(challenge_base64), userVerification: 'required', extensions: inputs.length ? { prf } : {},
    allowCredentials: credentials.map(keyOf),
  } }), { rawId, response } = made
  return {
    credential_id_base64: base64(rawId), client_data_base64: base64(response.clientDataJSON), authenticator_data_base64: base64(response.authenticatorData),
    signature_base64: base64(response.signature), ...(inputs.length && { output_base64: base64(made.getClientExtensionResults().prf?.results?.first ?? []) }),
  }
}

/// Whether a passkey is registered and this browser supports it.
export const hasPasskey = () => 'credentials' in navigator && Boolean(state.slots?.some(each => each.kind == 'passkey'))
export const challenged = purpose => api.post('passkeys/challenge', { purpose })
/// Unlocks or verifies with a passkey: `purpose` is `unlock` or `verify`.
export async function byPasskey(purpose) {
  const challenge = await challenged(purpose)
  const answer = await assertion(challenge).catch(() => { throw new Refusal({ code: 'passkey' }) })
  await takeAnswer(api.secret(`passkeys/${purpose}`, answer), purpose == 'unlock')
}

/// Verifies with the password.
export const prove = passphrase => takeAnswer(api.secret('session/verify', { passphrase }))
/// The dialog. Resolves to true after the verification.
export function verify() {
  const input = masked()
  return form(t('title'), {
    inputs: [h('p.below', t('content')), field(t('password'), input)], yes: t('verify'), other: hasPasskey() && [t('passkey'), () => byPasskey('verify')],
    save: async () => {
      const passphrase = input.value
      input.value = ''
      await prove(passphrase)
    },
  })
}

/// Sends a request that may need a verification; verifies and repeats it once. Undefined if the
/// owner cancels.
export async function verified(request) {
  try { return await request() } catch (problem) {
    if (problem.code != 'not_verified') throw problem
    return await verify() ? request() : undefined
  }
}
/// The same for a POST.
export const posted = (path, body) => verified(() => api.post(path, body))
