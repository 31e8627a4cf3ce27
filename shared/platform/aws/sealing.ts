import { DecryptCommand, EncryptCommand } from '@aws-sdk/client-kms'
import { createHash, randomBytes } from 'node:crypto'
import { keyPurpose } from '../../config/aws-places.ts'
import { type DeployError, error } from '../../errors/error.ts'
import type { SealingPort } from '../../ports/documents.ts'
import { openText, sealingKeyBytes, sealText } from '../records/sealed-text.ts'
import { type AwsSettings, createKms } from './clients.ts'
import { guarded, nameOf } from './failures.ts'

/** Sealing with a key in KMS, with its end. */
export interface KmsSealing extends SealingPort {
  readonly close: () => void
}

/**
 * What a sealed text is made of: a checksum of the rest, a data key that KMS sealed, and the text
 * under that key. By the checksum a damaged text is known without asking KMS.
 */
const form = /^k1:(?<check>[0-9a-f]+):(?<rest>(?<key>[^:]+):(?<text>[^:]+))$/

/**
 * Seals secrets of triggers under data keys of their own, which the key `keyId` (an id, alias or
 * ARN) in KMS seals with the purpose and place in the encryption context: who may only encrypt can
 * seal, who may only decrypt can open, and neither can use it for secrets of stacks. One request
 * each. Both throw what `awsFailure` says, SECRETS_KEY_UNUSABLE for one; `open` throws
 * SEALED_UNREADABLE.
 */
export function createKmsSealing(settings: AwsSettings, keyId: string): KmsSealing {
  const kms = createKms(settings, settings.region)
  const contextOf = (about: string): Record<string, string> => ({
    [keyPurpose.field]: keyPurpose.trigger,
    [keyPurpose.place]: about,
  })
  return {
    seal: async (text, about) => {
      const dataKey = randomBytes(sealingKeyBytes)
      const command = new EncryptCommand({
        KeyId: keyId,
        Plaintext: dataKey,
        EncryptionContext: contextOf(about),
      })
      const { CiphertextBlob } = await guarded('key of triggers: encrypt', () => kms.send(command))
      const sealedKey = Buffer.from(CiphertextBlob ?? []).toString('base64')
      const sealed = sealText(dataKey, text, about).toString('base64')
      dataKey.fill(0)
      const rest = `${sealedKey}:${sealed}`
      return `k1:${checkOf(rest)}:${rest}`
    },
    open: async (sealed, about) => {
      const { check, rest = '', key = '', text = '' } = form.exec(sealed)?.groups ?? {}
      if (check !== checkOf(rest)) throw unreadable(about)
      const command = new DecryptCommand({
        KeyId: keyId,
        CiphertextBlob: Buffer.from(key, 'base64'),
        EncryptionContext: contextOf(about),
      })
      const { Plaintext = new Uint8Array() } = await guarded('key of triggers: decrypt', () =>
        kms.send(command).catch((thrown: unknown) => {
          throw foreign.has(nameOf(thrown)) ? unreadable(about, thrown) : thrown
        }),
      )
      try {
        return openText(Plaintext, Buffer.from(text, 'base64'), about)
      } catch {
        throw unreadable(about)
      } finally {
        Plaintext.fill(0)
      }
    },
    close: () => kms.destroy(),
  }
}

/** Answers of KMS that say: this was not sealed under this key and context. */
const foreign: ReadonlySet<string> = new Set([
  'InvalidCiphertextException',
  'IncorrectKeyException',
])

function checkOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}

function unreadable(about: string, cause?: unknown): DeployError {
  return error('SEALED_UNREADABLE', `what is sealed in the ${about} cannot be opened`, { cause })
}
