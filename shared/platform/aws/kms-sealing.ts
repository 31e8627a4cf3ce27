import { DecryptCommand, EncryptCommand } from '@aws-sdk/client-kms'
import { createHash, randomBytes } from 'node:crypto'
import { keyPurpose } from '../../config/aws-resource-names.ts'
import { type DeployError, createError } from '../../errors/error.ts'
import type { SealingPort } from '../../ports/documents.ts'
import { openText, sealingKeyBytes, sealText } from '../records/sealed-text.ts'
import { type AwsSettings, createKmsClient } from './clients.ts'
import { isWrongKeyError, withAwsErrors } from './aws-error.ts'

/** Sealing with a key in KMS. `close` closes its client. */
export interface KmsSealing extends SealingPort {
  readonly close: () => void
}

/**
 * The pattern of a sealed text: a checksum, a data key encrypted by KMS, and the text encrypted
 * with that data key. The checksum covers both following parts. With it, `open` detects a damaged
 * text without a request to KMS.
 */
const sealedTextPattern = /^k1:(?<checksum>[0-9a-f]+):(?<checked>(?<key>[^:]+):(?<text>[^:]+))$/

/** The purpose of a sealed secret, as the encryption context of KMS names it. */
type SealingPurpose = typeof keyPurpose.trigger | typeof keyPurpose.service

/**
 * Creates the sealing of trigger secrets, or of data keys of the secrets manager `service`. Each
 * secret has a data key. The KMS key `keyId` (an id, alias or ARN) encrypts the data key, with the
 * purpose and `context` in the encryption context of KMS. Sealing needs the permission to encrypt,
 * and opening the permission to decrypt. A permission for one purpose does not apply to others.
 * Each call sends at most one request. Both methods throw the errors of `createAwsError`, such as
 * SECRETS_KEY_UNUSABLE. `open` also throws SEALED_UNREADABLE.
 */
export function createKmsSealing(
  settings: AwsSettings,
  keyId: string,
  purpose: SealingPurpose = keyPurpose.trigger,
): KmsSealing {
  const kms = createKmsClient(settings, settings)
  const encryptionContextOf = (context: string): Record<string, string> => ({
    [keyPurpose.purposeField]: purpose,
    [keyPurpose.documentField]: context,
  })
  return {
    seal: async (text, context) => {
      const dataKey = randomBytes(sealingKeyBytes)
      const command = new EncryptCommand({
        KeyId: keyId,
        Plaintext: dataKey,
        EncryptionContext: encryptionContextOf(context),
      })
      const { CiphertextBlob } = await withAwsErrors(`key of ${purpose} secrets: encrypt`, () =>
        kms.send(command),
      )
      const sealedKey = Buffer.from(CiphertextBlob ?? []).toString('base64')
      const ciphertext = sealText(dataKey, text, context).toString('base64')
      dataKey.fill(0)
      const checkedText = `${sealedKey}:${ciphertext}`
      return `k1:${checksumOfText(checkedText)}:${checkedText}`
    },
    open: async (sealedText, context) => {
      const {
        checksum,
        checked: checkedText = '',
        key: sealedKey = '',
        text: ciphertext = '',
      } = sealedTextPattern.exec(sealedText)?.groups ?? {}
      if (checksum !== checksumOfText(checkedText)) throw createUnreadableError(context)
      const command = new DecryptCommand({
        KeyId: keyId,
        CiphertextBlob: Buffer.from(sealedKey, 'base64'),
        EncryptionContext: encryptionContextOf(context),
      })
      const { Plaintext = new Uint8Array() } = await withAwsErrors(
        `key of ${purpose} secrets: decrypt`,
        () =>
          kms.send(command).catch((thrown: unknown) => {
            throw isWrongKeyError(thrown) ? createUnreadableError(context, thrown) : thrown
          }),
      )
      try {
        return openText(Plaintext, Buffer.from(ciphertext, 'base64'), context)
      } catch {
        throw createUnreadableError(context)
      } finally {
        Plaintext.fill(0)
      }
    },
    close: () => kms.destroy(),
  }
}

function checksumOfText(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}

function createUnreadableError(context: string, cause?: unknown): DeployError {
  return createError('SEALED_UNREADABLE', `the secret of the ${context} cannot be decrypted`, {
    cause,
  })
}
