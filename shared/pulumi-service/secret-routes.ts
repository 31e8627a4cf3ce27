import * as z from 'zod'
import { createError } from '../errors/error.ts'
import { requireServiceKeys } from '../runtime/credentials/stack-service-keys.ts'
import { requireStack } from '../runtime/state/export-state.ts'
import type { Crypter } from '../secrets/crypter.ts'
import { createServiceCrypter } from '../secrets/service-keys.ts'
import { stackOf } from '../api/define-route.ts'
import {
  parseBody,
  type ServiceCall,
  type ServicePorts,
  type ServiceRoute,
  stackPath,
} from './service-route.ts'

const base64Form = z.base64()
const encryptForm = z.looseObject({ plaintext: base64Form })
const decryptForm = z.looseObject({ ciphertext: base64Form })
const batchEncryptForm = z.looseObject({ plaintexts: z.array(base64Form).max(10_000) })
const batchDecryptForm = z.looseObject({ ciphertexts: z.array(base64Form) })

const secretsBytesMax = 64 * 1024 * 1024

/**
 * The common fields of the routes of secrets. The audit log omits their calls, because only the
 * first call for a stack changes something: it creates the key of the stack.
 */
const secretRoute = { method: 'POST', bodyBytesMax: secretsBytesMax, isUnaudited: true } as const

/** Routes that encrypt and decrypt with the key of a stack, for the secrets manager `service`. */
export const secretRoutes: readonly ServiceRoute[] = [
  {
    ...secretRoute,
    path: `${stackPath}/encrypt`,
    role: 'preview',
    run: async (ports, call) => {
      const { plaintext } = parseBody(encryptForm, call)
      return { ciphertext: encrypt(await openCrypter(ports, call), plaintext) }
    },
  },
  {
    ...secretRoute,
    path: `${stackPath}/batch-encrypt`,
    role: 'preview',
    run: async (ports, call) => {
      const { plaintexts } = parseBody(batchEncryptForm, call)
      const crypter = await openCrypter(ports, call)
      return { ciphertexts: plaintexts.map(plaintext => encrypt(crypter, plaintext)) }
    },
  },
  {
    ...secretRoute,
    path: `${stackPath}/decrypt`,
    role: 'deploy',
    run: async (ports, call) => {
      const { ciphertext } = parseBody(decryptForm, call)
      return { plaintext: decrypt(await openCrypter(ports, call), ciphertext) }
    },
  },
  {
    ...secretRoute,
    path: `${stackPath}/batch-decrypt`,
    role: 'deploy',
    run: async (ports, call) => {
      const { ciphertexts } = parseBody(batchDecryptForm, call)
      const crypter = await openCrypter(ports, call)
      const pairs = ciphertexts.map(ciphertext => [ciphertext, decrypt(crypter, ciphertext)])
      return { plaintexts: Object.fromEntries(pairs) as Record<string, string> }
    },
  },
  // A client reports that it shows secrets to a person. The audit log has the report.
  ...['log-decryption', 'log-batch-decryption'].map(
    (name): ServiceRoute => ({
      method: 'POST',
      path: `${stackPath}/decrypt/${name}`,
      role: 'read',
      run: async () => ({}),
    }),
  ),
]

async function openCrypter(ports: ServicePorts, call: ServiceCall): Promise<Crypter> {
  const { id } = await requireStack(ports, stackOf(call.params))
  return createServiceCrypter(await requireServiceKeys(ports, id))
}

/**
 * Encrypts a text that is encoded as base64, and returns base64. Throws API_INPUT_INVALID if the
 * decoded bytes are not UTF-8.
 */
function encrypt(crypter: Crypter, plaintext: string): string {
  const bytes = Buffer.from(plaintext, 'base64')
  const text = bytes.toString('utf8')
  if (Buffer.from(text, 'utf8').equals(bytes)) return crypter.encrypt(text)
  throw createError('API_INPUT_INVALID', 'a plaintext is not UTF-8')
}

function decrypt(crypter: Crypter, ciphertext: string): string {
  return Buffer.from(crypter.decrypt(ciphertext), 'utf8').toString('base64')
}
