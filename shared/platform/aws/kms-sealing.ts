import { DecryptCommand, EncryptCommand } from '@aws-sdk/client-kms'
import { createHash, randomBytes } from 'node:crypto'
import { keyPurpose } from '../../config/aws-resource-names.ts'
import { type DeployError, error } from '../../errors/error.ts'
import type { SealingPort } from '../../ports/documents.ts'
import { openText, sealingKeyBytes, sealText } from '../records/sealed-text.ts'
import { type AwsSettings, createKmsClient } from './clients.ts'
import { withAwsErrors, errorNameOf } from './aws-error.ts'

/** Sealing with a key in KMS. `close` ends its client. */
export interface KmsSealing extends SealingPort {
  readonly close: () => void
}

/**
 * A sealed text: a checksum of the rest, a data key encrypted by KMS, and the text encrypted with
 * that key. The checksum detects a damaged text without a request to KMS.
 */
const form = /^k1:(?<check>[0-9a-f]+):(?<rest>(?<key>[^:]+):(?<text>[^:]+))$/

/**
 * Creates the sealing of trigger secrets. Each secret has its own data key. The KMS key `keyId` (an
 * id, alias or ARN) encrypts it with purpose and place in the encryption context. A role may
 * therefore be allowed to seal only or to open only, and neither applies to stack secrets. Each
 * call sends one request. Both throw the errors of `awsError`, such as SECRETS_KEY_UNUSABLE; `open`
 * throws SEALED_UNREADABLE.
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

/** KMS errors for a text that was encrypted under another key or context. */
const foreign: ReadonlySet<string> = new Set([
  'InvalidCiphertextException',
  'IncorrectKeyException',
])

function checksumOfText(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}

function unreadableError(context: string, cause?: unknown): DeployError {
  return error('SEALED_UNREADABLE', `the secret of the ${context} cannot be decrypted`, { cause })
}
