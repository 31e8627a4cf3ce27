import { DecryptCommand, EncryptCommand } from '@aws-sdk/client-kms'
import { createHash, randomBytes } from 'node:crypto'
import { keyPurpose } from '../../config/aws-resource-names.ts'
import { type DeployError, error } from '../../errors/error.ts'
import type { SealingPort } from '../../ports/documents.ts'
import { openText, sealingKeyBytes, sealText } from '../records/sealed-text.ts'
import { type AwsSettings, createKmsClient } from './clients.ts'
import { withAwsErrors, errorNameOf } from './aws-error.ts'

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
  const kms = createKmsClient(settings, settings.region)
  const encryptionContextOf = (context: string): Record<string, string> => ({
    [keyPurpose.field]: keyPurpose.trigger,
    [keyPurpose.place]: context,
  })
  return {
    seal: async (text, context) => {
      const dataKey = randomBytes(sealingKeyBytes)
      const command = new EncryptCommand({
        KeyId: keyId,
        Plaintext: dataKey,
        EncryptionContext: encryptionContextOf(context),
      })
      const { CiphertextBlob } = await withAwsErrors('key of triggers: encrypt', () =>
        kms.send(command),
      )
      const sealedKey = Buffer.from(CiphertextBlob ?? []).toString('base64')
      const sealed = sealText(dataKey, text, context).toString('base64')
      dataKey.fill(0)
      const rest = `${sealedKey}:${sealed}`
      return `k1:${checksumOfText(rest)}:${rest}`
    },
    open: async (sealed, context) => {
      const { check, rest = '', key = '', text = '' } = form.exec(sealed)?.groups ?? {}
      if (check !== checksumOfText(rest)) throw unreadableError(context)
      const command = new DecryptCommand({
        KeyId: keyId,
        CiphertextBlob: Buffer.from(key, 'base64'),
        EncryptionContext: encryptionContextOf(context),
      })
      const { Plaintext = new Uint8Array() } = await withAwsErrors('key of triggers: decrypt', () =>
        kms.send(command).catch((thrown: unknown) => {
          throw foreign.has(errorNameOf(thrown)) ? unreadableError(context, thrown) : thrown
        }),
      )
      try {
        return openText(Plaintext, Buffer.from(text, 'base64'), context)
      } catch {
        throw unreadableError(context)
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

function checksumOfText(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}

function unreadableError(context: string, cause?: unknown): DeployError {
  return error('SEALED_UNREADABLE', `what is sealed in the ${context} cannot be opened`, { cause })
}
