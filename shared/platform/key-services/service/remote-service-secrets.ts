import { type DeployError, createError } from '../../../errors/error.ts'
import type { SecretsManager } from '../../../secrets/crypter.ts'
import type { ServiceStack } from '../../../secrets/service-stack.ts'
import { createKeyedDigest } from '../../../secrets/symmetric-crypter.ts'
import { keyErrorCodes, keyFailureOf } from '../key-service-error.ts'
import { createBlockingCall } from './create-blocking-call.ts'
import { callService, type CipherReply, type CipherRequest } from './service-client.ts'
import { readServiceToken } from './service-login.ts'

type Env = Readonly<Record<string, string | undefined>>

/** Opened managers by environment and stack, so that a process decrypts each secret only once. */
const openedManagers = new WeakMap<Env, Map<string, SecretsManager>>()

/**
 * Opens the secrets manager of a stack whose keys a service keeps: Pulumi Cloud, or a service with
 * the same API. Throws SECRETS_CREDENTIALS_MISSING. The crypter and `prepare` also throw
 * SECRETS_KEY_MISSING (no such stack), SECRETS_KEY_DENIED, SECRETS_SERVICE_UNAVAILABLE,
 * SECRETS_KEY_UNUSABLE for a refused plaintext, and SECRETS_MALFORMED for a ciphertext of another
 * stack.
 */
export function openRemoteServiceManager(stack: ServiceStack, env: Env): SecretsManager {
  const managers = openedManagers.get(env) ?? new Map<string, SecretsManager>()
  openedManagers.set(env, managers)
  const stackKey = JSON.stringify(stack)
  const manager = managers.get(stackKey) ?? createRemoteManager(stack, env)
  managers.set(stackKey, manager)
  return manager
}

function createRemoteManager(stack: ServiceStack, env: Env): SecretsManager {
  const token = readServiceToken(stack.url, env)
  const { url, owner, project, stack: name } = stack
  const callBlocking = createBlockingCall()
  const plaintexts = new Map<string, string>()
  /** Ciphertexts that no secret uses yet, by plaintext. Each is used for one secret only. */
  const unusedCiphertexts = new Map<string, string[]>()
  const requestOf = (action: CipherRequest['action'], texts: readonly string[]): CipherRequest => ({
    action,
    texts,
    stack,
    token,
    env: proxyVariablesOf(env),
  })
  const decrypt = (ciphertext: string): string => {
    const knownPlaintext = plaintexts.get(ciphertext)
    if (knownPlaintext !== undefined) return knownPlaintext
    const [text = ''] = textsOf(callBlocking(requestOf('decrypt', [ciphertext])), 'decrypt', stack)
    plaintexts.set(ciphertext, text)
    return text
  }
  const encrypt = (plaintext: string): string => {
    const preparedCiphertext = unusedCiphertexts.get(plaintext)?.pop()
    const [ciphertext = ''] =
      preparedCiphertext === undefined
        ? textsOf(callBlocking(requestOf('encrypt', [plaintext])), 'encrypt', stack)
        : [preparedCiphertext]
    plaintexts.set(ciphertext, plaintext)
    return ciphertext
  }
  return {
    type: 'service',
    state: { url, owner, project, stack: name },
    crypter: { encrypt, decrypt },
    // The key of the service is unknown here, so the token is the key of the digest. The token is
    // secret too, and each process of the same login has it.
    digest: createKeyedDigest(Buffer.from(token, 'utf8')),
    prepare: async texts => {
      const newCiphertexts = [...new Set(texts.ciphertexts)].filter(text => !plaintexts.has(text))
      const decrypted = await callService(requestOf('decrypt', newCiphertexts))
      textsOf(decrypted, 'decrypt', stack).forEach((text, index) =>
        plaintexts.set(newCiphertexts[index] ?? '', text),
      )
      const encrypted = await callService(requestOf('encrypt', texts.plaintexts))
      textsOf(encrypted, 'encrypt', stack).forEach((ciphertext, index) => {
        const plaintext = texts.plaintexts[index] ?? ''
        const unused = unusedCiphertexts.get(plaintext) ?? []
        unused.push(ciphertext)
        unusedCiphertexts.set(plaintext, unused)
      })
    },
  }
}

/** Returns the texts of a reply. Throws the error of a refusal. */
function textsOf(
  reply: CipherReply,
  action: CipherRequest['action'],
  stack: ServiceStack,
): readonly string[] {
  if (reply.kind === 'answered') return reply.texts
  throw createRefusalError(reply, action, stack)
}

function createRefusalError(
  { status, reason }: Extract<CipherReply, { kind: 'refused' }>,
  action: CipherRequest['action'],
  { url, owner, project, stack }: ServiceStack,
): DeployError {
  const name = `${owner}/${project}/${stack}`
  const failure = status === 0 ? 'unavailable' : keyFailureOf(status, { key: name, action })
  const text = reason.replaceAll(/\s+/g, ' ').trim()
  return createError(
    keyErrorCodes[failure],
    `${url} does not ${action} secrets of the stack ${name}: ${text || `status ${status}`}`,
    failure === 'no-credentials' ? { hint: `Run \`pulumi login ${url}\`.` } : {},
  )
}

/** Returns the variables of a proxy. The thread of a blocking call needs no others. */
function proxyVariablesOf(env: Env): Env {
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => /^(https?|no)_proxy$/i.test(name)),
  )
}
